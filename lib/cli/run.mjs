import { constants } from 'node:os';
import { Jobs } from 'agent-bash';
import {
  COMMAND_OPTIONS,
  commandOptionsOf,
  duration,
  flagError,
  readOptions,
  size,
  UsageError,
  withFlags,
} from './arguments.mjs';
import { forward } from './forward.mjs';
import { interrupted } from './interrupted.mjs';
import { inOverlay, review } from './overlay.mjs';
import { hasInput, passInput } from './standard-input.mjs';
import { TARGET_OPTIONS, targetOf } from './target.mjs';
import { inTerminal } from './terminal.mjs';

const OPTIONS = {
  ...COMMAND_OPTIONS,
  ...TARGET_OPTIONS,
  timeout: { read: duration },
  'idle-timeout': { read: duration },
  'max-output': { read: size },
  'strip-ansi': { type: 'boolean' },
  merge: { type: 'boolean' },
  'non-interactive': { type: 'boolean' },
  json: { type: 'boolean' },
  pty: { type: 'boolean' },
  overlay: { type: 'boolean' },
  yes: { type: 'boolean' },
};

/** Options about output that is not shown as it is in a terminal. */
const ONE_STREAM = { json: '--json', maxOutput: '--max-output', merge: '--merge', stripAnsi: '--strip-ansi' };

/** Exit codes for commands that did not exit by themselves. Convention: shells and `timeout(1)`. */
const EXIT_CODE = { timeout: 124, idleTimeout: 124, denied: 126, failed: 127 };

/** Exit code for changes of a successful command that could not be applied. */
const UNAPPLIED = 1;

/** Implements `agent-bash run [options] -- command`. Returns the exit code. */
async function runCommandLine(words) {
  const { values, words: command } = readOptions('run', words, OPTIONS);
  if (command.length === 0 || command.every((word) => word.trim() === '')) {
    throw new UsageError('no command; write it behind --', 'run');
  }
  if (values.shell !== undefined && command.length > 1) {
    throw new UsageError('--shell needs the command as one word, which the shell reads', 'run');
  }
  if (values.yes && !values.overlay) throw new UsageError('--yes needs --overlay', 'run');
  refuseWithTerminal(values);
  const signal = interrupted();
  const result = await execute(command.length === 1 ? command[0] : command, values, signal);
  if (!values.json && result.error !== null) process.stderr.write(`agent-bash: ${result.error.message}\n`);
  if (result.status === 'aborted') return 128 + constants.signals[signal.reason];
  return exitCodeOf(result) || (result.isUnapplied ? UNAPPLIED : 0);
}

function refuseWithTerminal({ pty, ...values }) {
  const other = Object.keys(ONE_STREAM).find((name) => values[name] !== undefined);
  if (!pty || other === undefined) return;
  throw new UsageError(`--pty and ${ONE_STREAM[other]} exclude each other`, 'run');
}

async function execute(command, given, signal) {
  const values = given.overlay ? withFlags('run', () => inOverlay(given)) : given;
  const { json, pty, timeout, idleTimeout, maxOutput, stripAnsi, merge, nonInteractive, ...shared } = values;
  const output = { maxBytes: maxOutput, stripAnsi, merge };
  const options = {
    ...commandOptionsOf('run', shared),
    target: targetOf('run', shared),
    timeout,
    idleTimeout,
    nonInteractive,
    output,
    signal,
    ...(values.overlay && { overlay: values.overlay }),
  };
  try {
    const act = pty ? inTerminal : json ? collecting : showing;
    const result = await act(command, options);
    const reviewed =
      values.overlay && result.error === null ? await review(values.overlay, result, given, signal) : null;
    if (json) process.stdout.write(`${JSON.stringify({ ...result, ...reviewed }, null, 2)}\n`);
    return { ...result, isUnapplied: reviewed?.error !== undefined };
  } catch (error) {
    throw flagError('run', error);
  } finally {
    // A command that still uses the overlay ends with this process, and so does the layer.
    await values.overlay?.discard().catch(() => {});
  }
}

/** Runs a command and forwards its output to the streams of this process. */
async function showing(command, options) {
  const encoding = options.output.stripAnsi ? 'utf8' : 'buffer';
  const { job, stop } = start(command, { ...options, encoding, output: { ...options.output, maxBytes: 0 } });
  await forward(job);
  stop();
  return job.result;
}

/** Runs a command and keeps its output for the result, which is as that of `run()`. */
async function collecting(command, options) {
  const { job, stop } = start(command, options);
  const result = await job.result;
  stop();
  return { ...result, jobId: null, cursor: null };
}

/** Starts a command with the standard input of this process. `stop` ends the input. */
function start(command, options) {
  const jobs = new Jobs({ readBytes: 0 });
  if (!hasInput()) return { job: jobs.start(command, options), stop: () => {} };
  const job = jobs.start(command, { ...options, stdin: 'pipe' });
  return { job, stop: passInput(job) };
}

function exitCodeOf({ status, exitCode, signal }) {
  if (exitCode !== null) return exitCode;
  return EXIT_CODE[status] ?? 128 + (constants.signals[signal] ?? 0);
}

export { OPTIONS, runCommandLine as act };
