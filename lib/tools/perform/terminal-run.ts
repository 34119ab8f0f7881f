// Runs a command in a terminal of the client: makes the request, and the result of a command that ran
// elsewhere.

import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import type { NativeResult } from '../../addon/addon-types.ts';
import { OutputReplay } from '../../addon/native.ts';
import type { CommandMore } from '../../job/command-plan.ts';
import { isTable } from '../../jobs.ts';
import { planRun } from '../../options/run-options.ts';
import { targetEnvironment } from '../../options/surroundings/environment/environment.ts';
import { ownSurroundings } from '../../options/surroundings/surroundings-options.ts';
import type { Result } from '../../result/result.ts';
import { runResult } from '../../result/result.ts';
import { now } from '../../support/now.ts';
import { isBelow } from '../../support/paths/within.ts';
import type { RunAction } from '../actions.ts';
import type { ClientTerminalExit, ClientTerminalRequest, ClientTerminals } from '../api/terminals.ts';
import type { CommandOutput } from '../options/command-run-options.ts';
import type { CommandOutcome, Performed } from '../outcomes.ts';
import type { ToolCall, ToolsetState } from '../toolset-state.ts';
import type { TerminalEnd } from './client-terminal.ts';
import { runInClient } from './client-terminal.ts';
import type { PreparedCommand } from './jobs.ts';
import { outcomeOf } from './outcome.ts';

/** The least and the most output that a client has to keep (bytes). */
const MIN_KEPT = 1024 * 1024;
const MAX_KEPT = 16 * 1024 * 1024;

/** The answer of the `oh-my-pi` dialect for each signal, as its original has it for a client's terminal. */
const OH_MY_PI_SIGNALED = 137;

/** The end of a command: its status, and what is wrong. */
interface CommandEnd {
  status: 'exited' | 'signaled' | 'timeout' | 'idleTimeout' | 'aborted' | 'failed';
  exitCode?: number | undefined;
  signal?: string | undefined;
  error?: { code: string; message: string } | undefined;
}

/** Runs a command in a terminal of the client. */
async function runThere(
  { timeoutMs, idleTimeoutMs }: RunAction,
  { command, options, place }: PreparedCommand,
  terminals: ClientTerminals,
  { dialect }: Pick<ToolsetState, 'dialect'>,
  { signal, opened }: ToolCall,
): Promise<Performed> {
  // There is no file of all output here, which a minimized view needs.
  const output: CommandOutput = { ...options.output, spill: undefined, minimize: undefined };
  const { text, spec } = planRun(command, { ...options, output }, isTable, place);
  const { cwd, root } = spec.surroundings;
  const invocation = { command: text, cwd };
  if (root !== undefined && isOutside(root, cwd)) {
    const error = { code: 'CWD_OUTSIDE', message: `the working directory is outside of the root: ${cwd}` };
    const result = resultOf(spec.more, '', { status: 'failed', error }, 0, invocation);
    return { outcome: outcomeOf(result as never, {}), result: result as never };
  }
  const { command: line, argv } = spec;
  const words = argv ?? [...(spec.surroundings.shell ?? usualShell()), line];
  const request: ClientTerminalRequest = {
    command: words[0],
    args: words.slice(1),
    env: variables(options),
    cwd,
    outputByteLimit: Math.min(Math.max(MIN_KEPT, output.maxBytes), MAX_KEPT),
  };
  const start = now();
  const end = await runInClient(terminals, { request, signal, timeoutMs, idleTimeoutMs, opened });
  const ended = endOf(end);
  const shown = end.truncated ? `${DROPPED}\n${end.output}` : end.output;
  const result = resultOf(spec.more, shown, ended, now() - start, invocation);
  const { terminalId } = end;
  const outcome = outcomeOf(result as never, { ...ownWords(ended, result, dialect), terminalId });
  return { outcome, result: result as never, terminalId };
}

const DROPPED = '[the client has dropped earlier output]';

/**
 * Returns whether a directory is outside of the root: by real paths where both are there, else by their
 * texts, as the client may have them on another machine.
 */
function isOutside(root: string, cwd: string): boolean {
  return existsSync(root) && existsSync(cwd)
    ? !isBelow(realpathSync(root), realpathSync(cwd))
    : !isBelow(root, cwd);
}

function usualShell(): string[] {
  return existsSync('/bin/bash') ? ['/bin/bash', '-c'] : ['sh', '-c'];
}

/** Returns the variables on top of the client's own. One that is to be removed is not among them. */
function variables(options: PreparedCommand['options']): ClientTerminalRequest['env'] {
  const { text } = targetEnvironment({ ...ownSurroundings(options), isExtended: false }, undefined);
  return text
    .split('\0')
    .slice(0, -1)
    .map((entry) => {
      const end = entry.indexOf('=', 1);
      return { name: entry.slice(0, end), value: entry.slice(end + 1) };
    });
}

function endOf({ status, exit, error }: TerminalEnd): CommandEnd {
  if (error !== null) return { status: 'failed', error };
  const { exitCode, signal } = exitOf(exit);
  if (status !== 'ended' && status !== 'failed') return { status, exitCode, signal };
  if (signal !== undefined) return { status: 'signaled', signal };
  if (exitCode !== undefined) return { status: 'exited', exitCode };
  const message = 'the client did not say how the command ended';
  return { status: 'failed', error: { code: 'TERMINAL_STATUS', message } };
}

/**
 * Returns how a command ended, by the client's words. A signal counts more than an exit code: node-pty
 * reports 0 beside it, and the signal 0 beside an exit code.
 */
function exitOf(exit: ClientTerminalExit | null): Pick<CommandEnd, 'exitCode' | 'signal'> {
  const { exitCode, signal } = Object(exit) as { exitCode?: unknown; signal?: unknown };
  const text = signal === null || signal === undefined ? '' : String(signal).toUpperCase();
  if (text !== '' && text !== '0') return { signal: signalName(text) };
  return { exitCode: Number.isInteger(exitCode) ? (exitCode as number) : undefined };
}

function signalName(text: string): string {
  if (!/^\d+$/.test(text)) return text.startsWith('SIG') ? text : `SIG${text}`;
  const known = Object.entries(constants.signals).find(([, number]) => number === Number(text));
  return known?.[0] ?? text;
}

/**
 * Returns the result of a command by the addon's own code, which cuts the output, and makes the view of it.
 */
function resultOf(
  more: CommandMore | undefined,
  output: string,
  { status, exitCode, signal, error }: CommandEnd,
  durationMs: number,
  invocation: { command: string; cwd: string },
): Result {
  const replay = OutputReplay.ofRun(more as never);
  replay.push('stdout' as never, Buffer.from(output));
  replay.finish();
  const { result } = replay.result({ status: status as never, exitCode, signal, durationMs });
  return runResult({ ...(result as NativeResult), error }, invocation, null);
}

/** Returns what the dialect is told other than the result says. */
function ownWords(
  { status, error }: CommandEnd,
  { output }: Result,
  dialect: ToolsetState['dialect'],
): Partial<CommandOutcome> {
  if (dialect === 'oh-my-pi' && status === 'signaled') return { exitCode: OH_MY_PI_SIGNALED };
  // The words of the original: `Command failed: missing exit status`.
  if (dialect === 'oh-my-pi' && error?.code === 'TERMINAL_STATUS') return { status: 'exited' };
  // A failed command has not run, for a dialect, and so no output.
  if (error === undefined || output === '') return {};
  return { error: `${error.message}\nThe output until then:\n${output}`, stdout: '' };
}

export { runThere };
