import { constants } from 'node:os';
import type { Job, JobOptions, RunResult } from 'agent-bash';
import { Jobs } from 'agent-bash';
import type { ConsoleOptions } from 'agent-bash/console';
import { exitCodeOf } from '../../result/exit-code.ts';
import type { Encoding } from '../../result/output-api.ts';
import type { CommandValues, OptionTable } from '../arguments.ts';
import {
  COMMAND_OPTIONS,
  commandOptionsOf,
  duration,
  flagError,
  readOptions,
  size,
  UsageError,
  withFlags,
} from '../arguments.ts';
import { forward } from '../forward.ts';
import { explainHint } from '../help.ts';
import { interrupted } from '../interrupted.ts';
import { minimized } from '../minimized.ts';
import { inOverlay, review } from '../options/overlay.ts';
import { terminalPrompts } from '../options/prompts.ts';
import type { RecordValues } from '../options/record.ts';
import { recordOf } from '../options/record.ts';
import type { TargetValues } from '../options/target.ts';
import { TARGET_OPTIONS, targetOf } from '../options/target.ts';
import { hasInput, passInput } from '../standard-input.ts';
import { inTerminal } from '../terminal.ts';

interface RunValues extends CommandValues, RecordValues, TargetValues {
  timeout?: number;
  idleTimeout?: number;
  maxOutput?: number;
  stripAnsi?: boolean;
  merge?: boolean;
  minimize?: boolean;
  nonInteractive?: boolean;
  json?: boolean;
  pty?: boolean;
  escape?: ConsoleOptions['escape'];
  overlay?: boolean;
  yes?: boolean;
}

type Words = string | string[];
type Result = RunResult<Encoding>;

const OPTIONS: OptionTable<RunValues> = {
  ...COMMAND_OPTIONS,
  ...TARGET_OPTIONS,
  timeout: { read: duration },
  'idle-timeout': { read: duration },
  'max-output': { read: size },
  'strip-ansi': { type: 'boolean' },
  merge: { type: 'boolean' },
  minimize: { type: 'boolean' },
  'non-interactive': { type: 'boolean' },
  json: { type: 'boolean' },
  pty: { type: 'boolean' },
  escape: { choices: ['send', 'auto', 'kill'] },
  record: {},
  overlay: { type: 'boolean' },
  yes: { type: 'boolean' },
};

/** Options about output that is not shown as it is in a terminal. */
const ONE_STREAM: Partial<Record<keyof RunValues, string>> = {
  json: '--json',
  maxOutput: '--max-output',
  merge: '--merge',
  minimize: '--minimize',
  stripAnsi: '--strip-ansi',
};

/** Exit code for changes of a successful command that could not be applied. */
const UNAPPLIED = 1;

/** Implements `agent-bash run [options] -- command`. Returns the exit code. */
async function runCommandLine(words: string[]): Promise<number> {
  const { values, words: command } = readOptions('run', words, OPTIONS);
  if (command.length === 0 || command.every((word) => word.trim() === '')) {
    throw new UsageError('no command; write it behind --', 'run');
  }
  if (values.shell !== undefined && command.length > 1) {
    throw new UsageError('--shell needs the command as one word, which the shell reads', 'run');
  }
  if (values.yes && !values.overlay) throw new UsageError('--yes needs --overlay', 'run');
  if (values.escape && !values.pty) throw new UsageError('--escape needs --pty', 'run');
  refuseWithTerminal(values);
  const signal = interrupted();
  const result = await execute(command.length === 1 ? command[0] : command, values, signal);
  if (!values.json && result.error !== null) {
    process.stderr.write(`agent-bash: ${result.error.message}\n${explainHint(result.error.code)}`);
  }
  if (result.status === 'aborted') return 128 + constants.signals[signal.reason as NodeJS.Signals];
  return exitCodeOf(result) || (result.isUnapplied ? UNAPPLIED : 0);
}

function refuseWithTerminal({ pty, ...values }: RunValues): void {
  const names = Object.keys(ONE_STREAM) as (keyof typeof values)[];
  const other = names.find((name) => values[name] !== undefined);
  if (!pty || other === undefined) return;
  throw new UsageError(`--pty and ${ONE_STREAM[other]} exclude each other`, 'run');
}

async function execute(
  command: Words,
  given: RunValues,
  signal: AbortSignal,
): Promise<Result & { isUnapplied: boolean }> {
  const placed = given.overlay ? withFlags('run', () => inOverlay(given)) : undefined;
  const overlay = placed?.overlay;
  const { timeout, idleTimeout, maxOutput, stripAnsi, merge, nonInteractive, ...shared } = placed ?? given;
  const commandOptions = commandOptionsOf('run', shared);
  const options: JobOptions = {
    ...commandOptions,
    ...terminalPrompts(shared, commandOptions.env),
    target: targetOf('run', shared),
    timeout,
    idleTimeout,
    nonInteractive,
    output: { maxBytes: maxOutput, stripAnsi, merge },
    signal,
    ...recordOf(given),
    ...(overlay && { overlay }),
  };
  try {
    const result = await inForm(command, options, given);
    const reviewed = overlay && result.error === null ? await review(overlay, result, given, signal) : null;
    if (given.json) process.stdout.write(`${JSON.stringify({ ...result, ...reviewed }, null, 2)}\n`);
    return { ...result, isUnapplied: reviewed?.error !== undefined };
  } catch (error) {
    throw flagError('run', error);
  } finally {
    // A command that still uses the overlay ends with this process, and so does the layer.
    await overlay?.discard().catch(() => {});
  }
}

/** Runs a command, whose output has the form that is asked for. */
async function inForm(
  command: Words,
  options: JobOptions,
  { json, pty, escape: onEscape, minimize, maxOutput, merge }: RunValues,
): Promise<Result> {
  if (pty) return inTerminal(command, options, onEscape);
  if (!minimize) return (json ? collecting : showing)(command, options);
  return minimized({ maxBytes: maxOutput, merge }, (output) =>
    (json ? collecting : printing)(command, { ...options, output }),
  );
}

/** Runs a command and forwards its output to the streams of this process. */
async function showing(command: Words, options: JobOptions): Promise<Result> {
  const encoding: Encoding = options.output?.stripAnsi ? 'utf8' : 'buffer';
  const { job, stop } = start(command, { ...options, encoding, output: { ...options.output, maxBytes: 0 } });
  await forward(job);
  stop();
  return job.result;
}

/** Runs a command and keeps its output for the result, which is as that of `run()`. */
async function collecting(command: Words, options: JobOptions): Promise<Result> {
  const { job, stop } = start(command, options);
  const result = await job.result;
  stop();
  return { ...result, jobId: null, cursor: null } as Result;
}

/** Runs a command and prints the view of its output at its end. */
async function printing(command: Words, options: JobOptions): Promise<Result> {
  const result = await collecting(command, options);
  const text = String(result.output);
  process.stdout.write(text === '' || text.endsWith('\n') ? text : `${text}\n`);
  return result;
}

/** Starts a command with the standard input of this process. `stop` ends the input. */
function start<E extends Encoding>(
  command: Words,
  options: JobOptions<E>,
): { job: Job<E>; stop: () => void } {
  const jobs = new Jobs({ readBytes: 0 });
  if (!hasInput()) return { job: jobs.start(command, options), stop: () => {} };
  const job = jobs.start(command, { ...options, stdin: 'pipe' });
  return { job, stop: passInput(job) };
}

export { OPTIONS, runCommandLine as act };
