import { absolutePath } from '../options/absolute-path.mjs';
import { environmentNow } from '../options/process-environment.mjs';

/** The arguments of the voice tool, as the addon takes them. */
function voiceCall(args, workspaceRoot, safeMode, timeout) {
  return {
    command: textOrNothing(args?.command),
    cmd: textOrNothing(args?.cmd),
    workspaceRoot: typeof workspaceRoot === 'string' ? absolute(workspaceRoot) : undefined,
    safeMode: Boolean(safeMode),
    environment: environmentNow(),
    timeout,
  };
}

function textOrNothing(value) {
  return typeof value === 'string' ? value : undefined;
}

/** The path is opened on another thread, and the working directory may be another one by then. */
function absolute(path) {
  try {
    return absolutePath(path);
  } catch {
    // The working directory itself is gone. The command will say so.
    return path;
  }
}

/** The words of whatever was thrown, which may itself throw when it is looked at. */
function messageOf(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'the arguments cannot be read';
  }
}

export { messageOf, voiceCall };
