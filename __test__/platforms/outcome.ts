import type { RunResult } from '../../index.js';

/** The fields of a result that are no time, no pid and no path: all of what a command can be compared by. */
export interface Outcome {
  status: RunResult['status'];
  exitCode: number | null;
  signal: string | null;
  stdout: string | number[];
  stderr: string | number[];
  output: string | number[];
  truncated: boolean;
  totalBytes: { stdout: number; stderr: number };
  /** The number of processes that are left. */
  background: number;
  isJob: boolean;
  hasCursor: boolean;
  hasProcess: boolean;
  hasUsage: boolean;
  spill: { bytes: number; complete: boolean; error: string | null } | null;
  view: string | null;
  limits: unknown;
  sandbox: unknown;
  target: unknown;
  decision: { verdict: string; code: string | null } | null;
  error: string | null;
  pipeStatus: number[] | null | undefined;
}

/** Returns what of a result is the same wherever the command runs. */
export function outcomeOf(result: RunResult<'utf8' | 'buffer'>): Outcome {
  const { spill, decision, view, totalBytes } = result;
  const plain = (output: string | Uint8Array) => (typeof output === 'string' ? output : [...output]);
  return {
    status: result.status,
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: plain(result.stdout),
    stderr: plain(result.stderr),
    output: plain(result.output),
    truncated: result.truncated,
    totalBytes: { ...totalBytes },
    background: result.backgroundPids.length,
    isJob: result.jobId !== null,
    hasCursor: result.cursor !== null,
    hasProcess: result.pid !== null && result.processGroup === result.pid,
    hasUsage: result.usage !== null,
    spill: spill && { bytes: spill.bytes, complete: spill.complete, error: spill.error?.code ?? null },
    view: view?.text ?? null,
    limits: result.limits,
    sandbox: result.sandbox,
    target: result.target,
    decision: decision && { verdict: decision.verdict, code: decision.code ?? null },
    error: result.error?.code ?? null,
    pipeStatus: result.pipeStatus,
  };
}

/** Returns the whole outcome of which only what is unusual is given. */
export function wholeOutcome(unusual: Partial<Outcome>): Outcome {
  const { stdout = '', stderr = '', status = 'exited' } = unusual;
  const ran = !['failed', 'denied'].includes(status);
  return {
    status,
    exitCode: status === 'exited' ? 0 : null,
    signal: null,
    stdout,
    stderr,
    output: joined(stdout, stderr),
    truncated: false,
    totalBytes: {
      stdout: Buffer.from(stdout as string).length,
      stderr: Buffer.from(stderr as string).length,
    },
    background: 0,
    isJob: false,
    hasCursor: false,
    hasProcess: ran,
    hasUsage: ran,
    spill: null,
    view: null,
    limits: null,
    sandbox: null,
    target: null,
    decision: null,
    error: null,
    pipeStatus: undefined,
    ...unusual,
  };
}

/** Returns `stdout`, then `stderr` on a new line. */
function joined(stdout: Outcome['stdout'], stderr: Outcome['stderr']): Outcome['output'] {
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return [...stdout, ...stderr] as number[];
  const separates = stdout !== '' && stderr !== '' && !stdout.endsWith('\n');
  return stdout + (separates ? '\n' : '') + stderr;
}
