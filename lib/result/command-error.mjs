class CommandError extends Error {
  name = 'CommandError';
  code;
  result;
  shortMessage;

  constructor(result, times = {}) {
    const shortMessage = `Command ${endOf(result, times)}: ${result.command}`;
    const said = saidBy(result).trimEnd();
    super(said === '' ? shortMessage : `${shortMessage}\n${said}`);
    this.code = result.error?.code;
    this.result = result;
    this.shortMessage = shortMessage;
  }
}

/** Returns the output for the message: of bytes standard error alone, since other output may be no text. */
function saidBy({ stdout, stderr, output }) {
  return typeof stdout === 'string' ? stderr || output : Buffer.from(stderr).toString();
}

function endOf({ status, exitCode, signal, error }, { timeout, idleTimeout }) {
  switch (status) {
    case 'exited':
      return `failed with exit code ${exitCode}`;
    case 'signaled':
      return `was killed with ${signal ?? 'a signal'}`;
    case 'timeout':
      return `timed out${after(timeout)}`;
    case 'idleTimeout':
      return `timed out${after(idleTimeout)} without output`;
    case 'aborted':
      return 'was aborted';
    case 'background':
      return 'runs on in the background';
    default:
      return `failed: ${error?.message ?? status}`;
  }
}

function after(time) {
  return time === undefined ? '' : ` after ${time} ms`;
}

export { CommandError };
