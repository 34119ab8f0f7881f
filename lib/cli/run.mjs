import { once } from 'node:events';
import { constants } from 'node:os';
import { Jobs, run } from 'agent-bash';
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
import { inOverlay, review } from './overlay.mjs';
import { TARGET_OPTIONS, targetOf } from './target.mjs';

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
  overlay: { type: 'boolean' },
  yes: { type: 'boolean' },
};

/** Exit codes for commands that did not exit by themselves. Convention: shells and `timeout(1)`. */
const EXIT_CODE = { timeout: 124, idleTimeout: 124, denied: 126, failed: 127 };

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
  const signal = interrupted();
  const result = await execute(command.length === 1 ? command[0] : command, values, signal);
  if (!values.json && result.error !== null) process.stderr.write(`agent-bash: ${result.error.message}\n`);
  return result.status === 'aborted' ? 128 + constants.signals[signal.reason] : exitCodeOf(result);
}

async function execute(command, given, signal) {
  const values = given.overlay ? withFlags('run', () => inOverlay(given)) : given;
  const { json, timeout, idleTimeout, maxOutput, stripAnsi, merge, nonInteractive, ...shared } = values;
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
    const result = json ? await run(command, options) : await showing(command, options);
    const reviewed =
      values.overlay && result.error === null ? await review(values.overlay, given, signal) : null;
    if (json) process.stdout.write(`${JSON.stringify({ ...result, ...reviewed }, null, 2)}\n`);
    return result;
  } catch (error) {
    throw flagError('run', error);
  } finally {
    // A command that still uses the overlay ends with this process, and so does the layer.
    await values.overlay?.discard().catch(() => {});
  }
}

/** Runs a command and forwards its output to the streams of this process. */
async function showing(command, options) {
  const jobs = new Jobs({ readBytes: 0 });
  const encoding = options.output.stripAnsi ? 'utf8' : 'buffer';
  const job = jobs.start(command, { ...options, encoding, output: { ...options.output, maxBytes: 0 } });
  for await (const { stream, text, data } of job) {
    if (!process[stream].write(text ?? data)) await room(process[stream]);
  }
  return job.result;
}

/** Waits until a stream takes more, or is closed: then the reader has ended, and so does the command. */
async function room(stream) {
  const over = new AbortController();
  const waits = ['drain', 'close'].map((name) => once(stream, name, { signal: over.signal }).catch(() => {}));
  if (!stream.destroyed) await Promise.race(waits);
  over.abort();
}

function exitCodeOf({ status, exitCode, signal }) {
  if (exitCode !== null) return exitCode;
  return EXIT_CODE[status] ?? 128 + (constants.signals[signal] ?? 0);
}

/**
 * Returns a signal that aborts at the first Ctrl-C, or when the reader of the output has ended; its reason is
 * the name of the signal. A second Ctrl-C ends this process.
 */
function interrupted() {
  const controller = new AbortController();
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => controller.abort('SIGPIPE'));
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort(signal));
  return controller.signal;
}

export { runCommandLine };
