import { messageOf } from '../support/message-of.ts';
import { bytesOfStreams, joined } from './chunks.mjs';
import { withoutFileNamesIn } from './error-names.mjs';

/**
 * Converts the addon's result to the `RunResult` of index.d.ts, where an absent value is `null`. Two fields
 * may share one text or array. `hasBytes` tells whether the output is bytes, also of a command that did not
 * run.
 */
function runResult(native, { command, cwd, decision }, jobId, hasBytes = false) {
  const spill = native.spill ?? null;
  const pid = native.pid ?? null;
  const { stdout, stderr } = hasBytes ? bytesOfStreams(native) : native;
  const result = {
    command,
    cwd,
    status: native.status,
    exitCode: native.exitCode ?? null,
    signal: native.signal ?? null,
    stdout,
    stderr,
    output: hasBytes ? joined([stdout, stderr]) : (native.output ?? native.view?.text ?? stdout),
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
    usage: native.usage === undefined ? null : usage(native.usage),
    decision: decision ?? native.decision ?? null,
    sandbox: native.sandbox === undefined ? null : sandboxResult(native.sandbox),
    target: native.target === undefined ? null : targetResult(native.target),
    error: native.error ?? null,
  };
  const { binaryStdout, binaryStderr } = native;
  if (binaryStdout !== undefined || binaryStderr !== undefined) {
    binaries.set(result, { stdout: binaryStdout, stderr: binaryStderr });
  }
  return result;
}

/** The kinds of binary streams of each result, for the tools only. */
const binaries = new WeakMap();

/**
 * Returns the kinds of the binary streams of a result: `{ stdout, stderr }`; `undefined` if both are text.
 */
function binaryOf(result) {
  return binaries.get(result);
}

/** Converts the addon's result of a session's command. */
function sessionResult(native, invocation) {
  withoutFileNamesIn(native, invocation.shell);
  const result = runResult(native, invocation, null);
  result.shellEnded = native.shellEnded ?? false;
  result.restarted = native.restarted ?? false;
  result.pipeStatus = native.pipeStatus ?? null;
  return result;
}

/** Converts a view to the type of `index.d.ts`, where lines without a similar shown line have no `like`. */
function viewResult({ text, lines, bytes, shown, leftOut, complete }) {
  return { text, lines, bytes, shown, leftOut, complete };
}

/** Converts what a sandbox did to the type of `index.d.ts`. */
function sandboxResult({ refused, ...report }) {
  return { ...report, refused: refused.map(refusalOf) };
}

/** Converts where a command ran to the type of `index.d.ts`. */
function targetResult({ container, connectMs, skewMs, reason, ...report }) {
  const orNull = (value) => value ?? null;
  return {
    ...report,
    reason: orNull(reason),
    container: orNull(container),
    connectMs: orNull(connectMs),
    skewMs: orNull(skewMs),
  };
}

/** Converts a refusal, whose kind has some of the fields. */
function refusalOf(refusal) {
  return Object.fromEntries(
    Object.entries(refusal).filter(([, value]) => value !== undefined && value !== null),
  );
}

function usage({ userMs, systemMs, maxRssBytes }) {
  return { userMs, systemMs, maxRssBytes: maxRssBytes ?? null };
}

/** Makes `await using` remove the spill file of the result. */
function makeDisposable(result) {
  const value = () => removeSpill(result);
  return Object.defineProperty(result, Symbol.asyncDispose, { value, configurable: true });
}

/** Removes the spill file of a result, if there is one. The file may have been removed already. */
async function removeSpill({ spillPath }) {
  if (spillPath === null) return;
  try {
    await require('node:fs/promises').rm(spillPath, { force: true });
  } catch (error) {
    // A path through a file or a loop of links has no file to remove.
    if (error.code !== 'ENOTDIR' && error.code !== 'ELOOP') throw error;
  }
}

/**
 * Returns the native result of a command that was stopped before it had a process. The text of an answer has
 * the error.
 */
function stoppedBeforeItStarted(isAnswer) {
  const message = 'the command was stopped before it started';
  const output = isAnswer ? `Error: Failed to launch process: ${message}` : '';
  return notStarted('aborted', 'ABORT_ERR', message, output);
}

/** Returns the native result of a call whose arguments throw when they are read. */
function refusedBecause(error) {
  const message = messageOf(error);
  return notStarted('failed', 'ERR_INVALID_ARG_VALUE', message, `Error: ${message}`);
}

/** Returns the native result of a call while the working directory of Node.js is gone. */
function withoutDirectory(error) {
  return notStarted('failed', 'CWD_MISSING', messageOf(error), '');
}

/** Returns the native result of a denied command. */
function denied(code, message, decision) {
  return { ...notStarted('denied', code, message, ''), decision };
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

export {
  binaryOf,
  denied,
  makeDisposable,
  refusedBecause,
  removeSpill,
  runResult,
  sessionResult,
  stoppedBeforeItStarted,
  viewResult,
  withoutDirectory,
};
