import type { NativeError, NativeResult, OutputSpec, ViewResult } from '../addon/addon-types.ts';
import type { SandboxRefusal, SandboxReport } from '../options/surroundings/sandbox-api.ts';
import type { Decision } from '../policy/api.ts';
import { redacted } from '../redact/redacted.ts';
import type { Redactor } from '../redact/redaction.ts';
import { features } from '../support/features.ts';
import { messageOf } from '../support/message-of.ts';
import type { TargetReport } from '../target/api.ts';
import type { View } from '../view/api.ts';
import type { LimitsReport, ResultFields, RunStatus, Usage } from './api.ts';
import { bytesOfStreams, joinedBytes } from './chunks.ts';
import type { Encoding, SignalName } from './output-api.ts';

/** The facts of a result about the call: the command, its directory, and the decision of the policy. */
export interface Invocation {
  command: string;
  cwd: string;
  decision?: Decision | undefined;
  /** The name of a session's shell that is not interactive. */
  shell?: string | undefined;
  /** Redacts the texts of the result besides the output, which is redacted already. */
  redactor?: Redactor | undefined;
}

/** A result while it is made: any `RunResult` of index.d.ts, or that of a session. */
export type Result = ResultFields<Encoding> & {
  status: RunStatus;
  jobId: string | null;
  shellEnded?: boolean;
  restarted?: boolean;
};

/** The kinds of the binary streams of a result. */
interface Binary {
  stdout: string | undefined;
  stderr: string | undefined;
}

/**
 * Converts the addon's result to the `RunResult` of index.d.ts, where an absent value is `null`. Two fields
 * may share one text or array. `hasBytes` tells whether the output is bytes, also of a command that did not
 * run.
 */
function runResult(
  native: NativeResult & { decision?: Decision | undefined },
  { command, cwd, decision, redactor }: Invocation,
  jobId: string | null,
  hasBytes = false,
): Result {
  const spill = native.spill ?? null;
  const pid = native.pid ?? null;
  const bytes = hasBytes ? bytesOfStreams(native) : undefined;
  const { stdout, stderr } = bytes ?? native;
  const result: Result = {
    command,
    cwd,
    status: native.status,
    exitCode: native.exitCode ?? null,
    signal: (native.signal as SignalName | undefined) ?? null,
    stdout,
    stderr,
    output: bytes
      ? joinedBytes([bytes.stdout, bytes.stderr])
      : (native.output ?? native.view?.text ?? stdout),
    truncated: native.truncated,
    totalBytes: { stdout: native.stdoutBytes, stderr: native.stderrBytes },
    durationMs: native.durationMs,
    pid,
    processGroup: pid,
    backgroundPids: native.backgroundPids ?? [],
    jobId,
    cursor: native.cursor ?? null,
    spillPath: spill?.path ?? null,
    spill: spill && { ...spill, error: spill.error ?? null },
    view: native.view === undefined ? null : viewResult(native.view),
    usage: native.usage === undefined ? null : usage(native.usage, native.limits?.usage),
    decision: decision ?? native.decision ?? null,
    limits: native.limits === undefined ? null : limitsResult(native.limits),
    sandbox: native.sandbox === undefined ? null : sandboxResult(native.sandbox),
    target: native.target === undefined ? null : targetResult(native.target),
    error: native.error ?? null,
    ...(native.durable && { durable: features().durableInfo(native.durable) }),
  };
  if (redactor !== undefined) {
    for (const field of ['error', 'decision', 'sandbox', 'limits', 'target', 'durable'] as const) {
      if (result[field]) Object.assign(result, { [field]: redacted(result[field], redactor) });
    }
  }
  const { binaryStdout, binaryStderr } = native;
  if (binaryStdout !== undefined || binaryStderr !== undefined) {
    binaries.set(result, { stdout: binaryStdout, stderr: binaryStderr });
  }
  if (native.limits?.remarks.length) limitRemarks.set(result, native.limits.remarks);
  return result;
}

/** The kinds of binary streams of each result, for the tools only. */
const binaries = new WeakMap<object, Binary>();

/**
 * Returns the kinds of the binary streams of a result: `{ stdout, stderr }`; `undefined` if both are text.
 */
function binaryOf(result: object): Binary | undefined {
  return binaries.get(result);
}

/** The sentences for a model about the limits of each result, for the tools only. */
const limitRemarks = new WeakMap<object, string[]>();

/** Returns the sentences for a model about limits that the command of a result has reached. */
function limitRemarksOf(result: object): string[] {
  return limitRemarks.get(result) ?? [];
}

/** Converts a view to the type of `index.d.ts`, where lines without a similar shown line have no `like`. */
function viewResult({ text, lines, bytes, shown, leftOut, complete }: ViewResult): View {
  return { text, lines, bytes, shown: shown as View['shown'], leftOut, complete };
}

/** Converts what a sandbox did to the type of `index.d.ts`. */
function sandboxResult({ refused, ...report }: NonNullable<NativeResult['sandbox']>): SandboxReport {
  return { ...report, refused: refused.map(refusalOf) } as SandboxReport;
}

/** Converts where a command ran to the type of `index.d.ts`. */
function targetResult({
  container,
  connectMs,
  skewMs,
  reason,
  ...report
}: NonNullable<NativeResult['target']>): TargetReport {
  return {
    ...(report as Pick<TargetReport, 'kind' | 'supervisor' | 'copiedBytes' | 'missing'>),
    reason: reason ?? null,
    container: container ?? null,
    connectMs: connectMs ?? null,
    skewMs: skewMs ?? null,
  };
}

/** Converts a refusal, whose kind has some of the fields. */
function refusalOf(refusal: NonNullable<NativeResult['sandbox']>['refused'][number]): SandboxRefusal {
  return Object.fromEntries(
    Object.entries(refusal).filter(([, value]) => value !== undefined && value !== null),
  ) as SandboxRefusal;
}

function usage(
  { userMs, systemMs, maxRssBytes }: NonNullable<NativeResult['usage']>,
  tree: NonNullable<NativeResult['limits']>['usage'],
): Usage {
  const own: Usage = { userMs, systemMs, maxRssBytes: maxRssBytes ?? null };
  if (tree === undefined) return own;
  return {
    ...own,
    tree: { ...tree, memoryPeak: tree.memoryPeak ?? null, stalledMs: tree.stalledMs ?? null },
  };
}

/** Converts the limits of all processes to the type of `index.d.ts`. */
function limitsResult(native: NonNullable<NativeResult['limits']>): LimitsReport {
  const { mechanism, applied, missing, hit, reason } = native;
  return {
    mechanism: mechanism ?? null,
    applied,
    missing,
    hit,
    reason: reason ?? null,
  } as LimitsReport;
}

/**
 * Settles the spill file of a result: a file that is there for the lines that the view leaves out goes if
 * there are none. `await using` removes any other.
 */
function settleSpill<Settled extends Result>(result: Settled, output: OutputSpec | undefined): Settled {
  if (output?.spill === undefined) return result;
  if (output.spillsForView && result.status !== 'background' && result.view?.complete !== false) {
    removeSpill({ ...result }).catch(() => {});
    result.spillPath = null;
    result.spill = null;
  }
  return makeDisposable(result);
}

/** Makes `await using` remove the spill file of the result. */
function makeDisposable<Disposed extends Pick<Result, 'spillPath'>>(result: Disposed): Disposed {
  const value = () => removeSpill(result);
  return Object.defineProperty(result, Symbol.asyncDispose, { value, configurable: true });
}

/** Removes the spill file of a result, if there is one. The file may have been removed already. */
async function removeSpill({ spillPath }: Pick<Result, 'spillPath'>): Promise<void> {
  if (spillPath === null) return;
  try {
    const { rm } = require('node:fs/promises') as typeof import('node:fs/promises');
    await rm(spillPath, { force: true });
  } catch (error) {
    // A path through a file or a loop of links has no file to remove.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
  }
}

/**
 * Returns the native result of a command that was stopped before it had a process. The text of an answer has
 * the error.
 */
function stoppedBeforeItStarted(isAnswer: boolean): NativeResult {
  const message = 'the command was stopped before it started';
  const output = isAnswer ? `Error: Failed to launch process: ${message}` : '';
  return notStarted('aborted', 'ABORT_ERR', message, output);
}

/** Returns the native result of a call of the bash tool that the addon has refused; `null` of `null`. */
function refusedCall(refusal: NativeError | null): NativeResult | null {
  if (refusal === null) return null;
  const { code, message } = refusal;
  return notStarted(code === 'DENIED' ? 'denied' : 'failed', code, message, `Error: ${message}`);
}

/** Returns the native result of a call whose arguments throw when they are read. */
function refusedBecause(error: unknown): NativeResult {
  const message = messageOf(error);
  return notStarted('failed', 'ERR_INVALID_ARG_VALUE', message, `Error: ${message}`);
}

/** Returns the native result of a call while the working directory of Node.js is gone. */
function withoutDirectory(error: unknown): NativeResult {
  return notStarted('failed', 'CWD_MISSING', messageOf(error), '');
}

/** Returns the native result of a denied command. */
function denied(code: string, message: string, decision: Decision): NativeResult & { decision: Decision } {
  return { ...notStarted('denied', code, message, ''), decision };
}

function notStarted(
  status: 'aborted' | 'failed' | 'denied',
  code: string,
  message: string,
  output: string,
): NativeResult {
  return {
    status,
    stdout: '',
    stderr: '',
    output,
    truncated: false,
    stdoutBytes: 0,
    stderrBytes: 0,
    durationMs: 0,
    error: { code, message },
  };
}

export {
  binaryOf,
  denied,
  limitRemarksOf,
  refusedBecause,
  refusedCall,
  removeSpill,
  runResult,
  settleSpill,
  stoppedBeforeItStarted,
  viewResult,
  withoutDirectory,
};
