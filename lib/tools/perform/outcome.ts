// Converts results to the outcomes that dialects get.

import { theBinding } from '../../addon/binding.ts';
import type { RunResult } from '../../result/api.ts';
import { binaryOf, limitRemarksOf } from '../../result/result.ts';
import type { View } from '../../view/api.ts';
import type { BinaryFields, CommandOutcome, OutputFile } from '../outcomes.ts';

/** The reason of a call that was aborted before its command started. */
const ABORTED: string = 'the call was aborted';

/** Converts a result of `run()`. The streams cross to the addon separately, as plain strings. */
function outcomeOf(result: RunResult, more: Partial<CommandOutcome>): CommandOutcome {
  return {
    status: result.status,
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: result.stdout,
    stderr: result.stderr,
    truncated: result.truncated,
    stdoutBytes: result.totalBytes.stdout,
    stderrBytes: result.totalBytes.stderr,
    durationMs: result.durationMs,
    cwd: result.cwd,
    pid: result.pid,
    processGroup: livingGroup(result),
    backgroundPids: runningOf(result.backgroundPids),
    pipeStatus: result.pipeStatus ?? [],
    cursor: result.cursor,
    file: fileOf(result),
    ...binaryFields(result),
    errorCode: result.error?.code,
    error: result.error?.message,
    command: result.command,
    refused: result.sandbox?.refused ?? [],
    limits: limitRemarksOf(result),
    ...(result.view !== null && viewed(result.view)),
    ...more,
  };
}

/** Returns the fields for output that is binary. A view has both streams in one. */
function binaryFields(result: RunResult): BinaryFields {
  const { stdout, stderr } = binaryOf(result) ?? {};
  if (result.view !== null) return { binaryStdout: stdout ?? stderr };
  return { binaryStdout: stdout, binaryStderr: stderr };
}

/** Returns the file with the output; `null` if there is none or nothing could be written to it. */
function fileOf({ spill }: Pick<RunResult, 'spill'>): Required<OutputFile> | null {
  if (spill === null || (spill.bytes === 0 && !spill.complete)) return null;
  return { path: spill.path, bytes: spill.bytes, isPart: !spill.complete };
}

/**
 * Returns the fields for a view, which has both streams in reading order, and names in its markers and its
 * last line what was left out.
 */
function viewed({ text, complete }: View): Partial<CommandOutcome> {
  return { stdout: text, stderr: '', truncated: !complete, hasView: true };
}

/** Returns the process group of a command, while one of its members lives; `null` after that. */
function livingGroup({ status, processGroup, backgroundPids }: RunResult): number | null {
  if (processGroup === null) return null;
  if (status === 'background') return processGroup;
  if (backgroundPids.length === 0) return null;
  try {
    process.kill(-processGroup, 0);
    return processGroup;
  } catch {
    return null;
  }
}

/** Returns those of a command's processes that still run. */
function runningOf(pids: number[]): number[] {
  return pids.length === 0 ? pids : theBinding().runningOf(pids);
}

/** Returns the outcome of a call that has run nothing. */
function nothingRun(status: CommandOutcome['status'], error?: string): CommandOutcome {
  return { status, error, stdout: '', stderr: '' };
}

export { ABORTED, binaryFields, fileOf, nothingRun, outcomeOf, runningOf };
