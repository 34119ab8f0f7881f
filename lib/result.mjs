import { messageOf } from './bash/voice-call.mjs';

/** The addon's result as `index.d.ts` has it: what is absent is `null`. */
function runResult(native, { command, cwd }, jobId) {
  const spill = native.spill ?? null;
  return {
    command,
    cwd,
    status: native.status,
    exitCode: native.exitCode ?? null,
    signal: native.signal ?? null,
    stdout: native.stdout,
    stderr: native.stderr,
    output: native.output,
    truncated: native.truncated,
    totalBytes: { stdout: native.stdoutBytes, stderr: native.stderrBytes },
    durationMs: native.durationMs,
    pid: native.pid ?? null,
    processGroup: native.processGroup ?? null,
    backgroundPids: native.backgroundPids ?? [],
    jobId,
    cursor: native.cursor ?? null,
    spillPath: spill?.path ?? null,
    spill: spill && { ...spill, error: spill.error ?? null },
    usage: native.usage === undefined ? null : usage(native.usage),
    error: native.error ?? null,
  };
}

function usage({ userMs, systemMs, maxRssBytes }) {
  return { userMs, systemMs, maxRssBytes: maxRssBytes ?? null };
}

/** Lets `await using` remove the file with all of the output. */
function makeDisposable(result) {
  const value = () => removeSpill(result);
  return Object.defineProperty(result, Symbol.asyncDispose, { value, configurable: true });
}

/** Removes the file with all of the output, if there is one. It may be gone already. */
async function removeSpill({ spillPath }) {
  if (spillPath === null) return;
  try {
    await require('node:fs/promises').rm(spillPath, { force: true });
  } catch (error) {
    // Where there can be no file there is none.
    if (error.code !== 'ENOTDIR' && error.code !== 'ELOOP') throw error;
  }
}

/** A native result for a command that was stopped before there was a process. An answer has errors in its text. */
function stoppedBeforeItStarted(isAnswer) {
  const message = 'the command was stopped before it started';
  const output = isAnswer ? `Error: Failed to launch process: ${message}` : '';
  return notStarted('aborted', 'ABORT_ERR', message, output);
}

/** A native result for arguments that throw when they are looked at. */
function refusedBecause(error) {
  const message = messageOf(error);
  return notStarted('failed', 'ERR_INVALID_ARG_VALUE', message, `Error: ${message}`);
}

/** A native result for a working directory of Node that is gone. */
function withoutDirectory(error) {
  return notStarted('failed', 'CWD_MISSING', messageOf(error), '');
}

function notStarted(status, code, message, output) {
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

export { makeDisposable, refusedBecause, removeSpill, runResult, stoppedBeforeItStarted, withoutDirectory };
