import type { TargetSpec } from '../../addon/addon-types.ts';
import { redactorOf } from '../../redact/redaction.ts';
import { absolutePath } from '../../support/paths/absolute-path.ts';
import type { TargetOptions } from '../../target/api.ts';
import { Target } from '../../target/target.ts';
import { invalid, isRecord, path, wrong } from '../checks.ts';
import { targetEnvironment } from './environment/environment.ts';
import { isSandboxed } from './sandbox/sandbox-form.ts';
import { OR_SH } from './shell-option.ts';
import type { CheckedSurroundings, GivenSurroundings } from './surroundings.ts';
import { HERE_ONLY, ownSurroundings } from './surroundings-options.ts';

/** A place on a target for the addon. */
export interface TargetPlan extends TargetSpec {
  held: Target;
  /** The key by which decisions remember the target. */
  key: number | string;
}

type OfTarget = GivenSurroundings & { readonly [Name in 'onWaiting' | 'pipeStatus']?: unknown };

/** The options that have no meaning, or none yet, on a target. */
const UNAVAILABLE = [...HERE_ONLY, 'onWaiting', 'pipeStatus'] as const;

/**
 * Checks the surroundings of a command on a target, and converts them for the addon. `ownTarget` is the
 * target that exists for this command alone, or `null`. `workspace` is that of a container which is made for
 * it.
 */
function onTarget(
  options: OfTarget,
  term: string | undefined,
  workspace: unknown = options.root,
): CheckedSurroundings {
  const { held, isOwn, key } = holdTarget(options.target, workspace);
  if (isSandboxed(options.sandbox) && held.isOwnContainer) {
    throw invalid(
      'options.sandbox',
      'none next to a container of its own, which is the sandbox',
      options.sandbox,
    );
  }
  for (const name of UNAVAILABLE) {
    const value = options[name];
    if (value === undefined || value === false) continue;
    const message = `Invalid option 'options.${name}': not available with a target in this version`;
    throw wrong(message, 'ERR_FEATURE_UNAVAILABLE');
  }
  const own = ownSurroundings(options);
  if (own.limits?.tree !== undefined) {
    const message = "Invalid option 'options.limits.tree': not available with a target in this version";
    throw wrong(message, 'ERR_FEATURE_UNAVAILABLE');
  }
  const environment = targetEnvironment(own, term);
  return {
    error: null,
    ownTarget: isOwn ? held : null,
    spec: {
      ...directoriesThere(own.cwd, own.root, held),
      environment: environment.text,
      shell: own.shell,
      limits: own.limits,
      sandbox: undefined,
      target: {
        target: held.native,
        hasEmptyEnvironment: environment.isWhole,
        orSh: options[OR_SH] === true,
        held,
        key,
      },
      redactor: redactorOf(own.redact, own.variables),
    },
  };
}

/**
 * Returns the `Target` of the option, and whether it exists for this option alone. `key` is what decisions
 * remember of it. `root` is the option beside it.
 */
function holdTarget(target: unknown, root: unknown): { held: Target; isOwn: boolean; key: number | string } {
  if (target instanceof Target) return { held: target, isOwn: false, key: target.id };
  const options = withWorkspace(target, root);
  return { held: new Target(options, 'options.target'), isOwn: true, key: JSON.stringify(options) };
}

/**
 * Returns the options of a target; in those of a container that is made, `root` is the workspace by default.
 */
function withWorkspace(target: unknown, root: unknown): TargetOptions {
  const container = isRecord(target) ? target.container : undefined;
  if (root === undefined || !isRecord(container) || container.image === undefined)
    return target as TargetOptions;
  const workspace = absoluteHere(path('options.root', root) ?? '');
  return { ...(target as object), container: { workspace, ...container } } as TargetOptions;
}

/**
 * Returns `cwd` and `root` there, which are paths there or below the workspace here. `cwd` may be relative to
 * `root`, or to the workspace there.
 */
function directoriesThere(
  start: string | undefined,
  root: string | undefined,
  target: Target,
): { cwd: string; root: string | undefined } {
  const top = root === undefined ? undefined : rootThere(root, target);
  if (start === undefined) return { cwd: top ?? target.workspace ?? '', root: top };
  if (start.startsWith('/')) return { cwd: target.pathThere(start), root: top };
  const base = top ?? target.workspace ?? undefined;
  if (base === undefined) throw invalid('options.cwd', 'an absolute path next to a target', start);
  return { cwd: `${base}/${start}`, root: top };
}

/**
 * Returns the root there. A relative one is a directory of this machine, and so must lie in the workspace of
 * a container.
 */
function rootThere(root: string, target: Target): string {
  if (root.startsWith('/')) return target.pathThere(root);
  if (target.workspace === null) throw invalid('options.root', 'an absolute path next to a target', root);
  const here = absoluteHere(root);
  const there = target.pathThere(here);
  if (there !== here) return there;
  throw invalid('options.root', 'a path in the workspace of the container', root);
}

/** Returns a path of this machine as an absolute one, without `.`, so that paths below it begin with it. */
function absoluteHere(path: string): string {
  if (path.startsWith('/')) return path;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return absolutePath(names.join('/'));
}

export { directoriesThere, holdTarget, onTarget, rootThere };
