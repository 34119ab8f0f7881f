import { Target } from '../../target/target.mjs';
import { invalid, path, wrong } from '../checks.mjs';
import { targetEnvironment } from './environment.mjs';
import { limitsSpec } from './limits.mjs';
import { shellWords } from './shell.mjs';

/** The options that have no meaning, or none yet, on a target. */
const UNAVAILABLE = [
  'sandbox',
  'environment',
  'policy',
  'approve',
  'decision',
  'warm',
  'onWaiting',
  'pipeStatus',
];

/**
 * Checks the surroundings of a command on a target, and converts them for the addon. `ownTarget` is the target
 * that exists for this command alone, or `null`.
 */
function onTarget(options, term) {
  for (const name of UNAVAILABLE) {
    const value = options[name];
    if (value === undefined || value === false) continue;
    const message = `Invalid option 'options.${name}': not available with a target in this version`;
    throw wrong(message, 'ERR_FEATURE_UNAVAILABLE');
  }
  const { cwd, root, shell, limits, target } = options;
  const isShared = target instanceof Target;
  const held = isShared ? target : new Target(target, 'options.target');
  const environment = targetEnvironment(options, term);
  return {
    error: null,
    ownTarget: isShared ? null : held,
    spec: {
      ...directoriesThere(cwd, root),
      environment: environment.text,
      shell: shellWords(shell),
      limits: limitsSpec(limits),
      sandbox: undefined,
      // The addon needs the number alone, but forgets a target that nobody holds.
      target: { number: held.number, hasEmptyEnvironment: environment.isWhole, held },
    },
  };
}

/** Checks `cwd` and `root`, which are paths there. `cwd` may be relative to `root`. */
function directoriesThere(cwd, root) {
  const [start, top] = [path('options.cwd', cwd), path('options.root', root)];
  if (top !== undefined && !top.startsWith('/')) {
    throw invalid('options.root', 'an absolute path next to a target', root);
  }
  if (start === undefined) return { cwd: top ?? '', root: top };
  if (start.startsWith('/')) return { cwd: start, root: top };
  if (top === undefined) throw invalid('options.cwd', 'an absolute path next to a target', cwd);
  return { cwd: `${top}/${start}`, root: top };
}

export { onTarget };
