// The surroundings of a command: the options that a caller sets once for all of its commands. Each entry
// point takes them whole: `run()`, `Jobs`, `prewarm()`, sessions, `check()` and the tools.

import { directories } from './directories.mjs';
import { commandEnvironment } from './environment.mjs';
import { limitsSpec } from './limits.mjs';
import { SURROUNDINGS } from './names.ts';
import { overlaySpec, withOverlay } from './overlay.mjs';
import { sandboxSpec } from './sandbox.mjs';
import { shellWords } from './shell.mjs';
import { onTarget } from './target.mjs';

/**
 * The key, in options, of the directories of agent-bash's own files for a command, which a sandbox leaves
 * writable. No option of users.
 */
const FILES = Symbol('files');

/**
 * Checks the surroundings among `options`, and converts them for the addon (`spec`). `term` is the name of
 * the command's terminal, if it has one. `error` is not `null` if Node.js's own working directory is gone.
 * With a target, the options are about the machine there.
 */
function checkSurroundings(given, term) {
  if (given.target !== undefined) return onTarget(given, term);
  const options = withOverlay(given);
  const { cwd, root, shell, limits, sandbox } = options;
  const { error, ...paths } = directories(cwd, root);
  const environment = commandEnvironment(options, term);
  return {
    error,
    ownTarget: undefined,
    spec: {
      cwd: paths.cwd,
      root: paths.root,
      environment,
      shell: shellWords(shell),
      limits: limitsSpec(limits),
      sandbox: sandboxSpec(sandbox, paths.root, environment),
      overlay: overlaySpec(options.overlay),
      files: options[FILES],
      target: undefined,
    },
  };
}

/** Returns the surroundings among `options`. */
function surroundingsOf(options) {
  return Object.fromEntries(SURROUNDINGS.map((name) => [name, options[name]]));
}

export { checkSurroundings, FILES, SURROUNDINGS, surroundingsOf };
