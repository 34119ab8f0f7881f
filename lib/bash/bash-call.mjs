import { absolutePath } from '../options/surroundings/absolute-path.mjs';
import { commandEnvironment } from '../options/surroundings/environment.mjs';
import { environmentNow } from '../options/surroundings/process-environment.mjs';

/** The time limit of `bash()`, and the default of `BashJob` (ms). The addon has no default of its own. */
const TIMEOUT_MS = 30_000;

/** Converts the arguments of the bash tool to those of the addon. */
function bashCall(args, workspaceRoot, safeMode, timeout, { pty, bytes } = {}) {
  return {
    command: stringOrUndefined(args?.command),
    cmd: stringOrUndefined(args?.cmd),
    surroundings: typeof workspaceRoot === 'string' ? surroundingsIn(workspaceRoot, pty) : undefined,
    safeMode: Boolean(safeMode),
    timeout,
    pty,
    bytes,
  };
}

/** Returns the surroundings of a command. The addon chooses the shell, by the rules of the bash tool. */
function surroundingsIn(workspaceRoot, pty) {
  const environment = pty === undefined ? environmentNow() : commandEnvironment({}, pty.term);
  return { cwd: absolute(workspaceRoot), environment };
}

function stringOrUndefined(value) {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Makes a path absolute now: the addon opens it on another thread, and the working directory may change until
 * then.
 */
function absolute(path) {
  try {
    return absolutePath(path);
  } catch {
    // Node.js's own working directory is gone. The launch fails and reports it.
    return path;
  }
}

export { bashCall, TIMEOUT_MS };
