// The target of a toolset, which its calls share, and the options that commands on a target can't have.

import type { CodedTypeError, Given } from '../../options/checks.ts';
import { boolean, isRecord, wrong } from '../../options/checks.ts';
import { holdTarget } from '../../options/surroundings/target-surroundings.ts';
import type { Target } from '../../target/target.ts';
import type { DialectProfile } from '../dialects.ts';

/** The target of a toolset. */
export interface HeldTarget {
  held: Target;
  /** Whether it ends with the toolset. */
  isOwn: boolean;
}

/** The options of a toolset that commands on a target can't have. */
const UNAVAILABLE = ['pipeStatus'] as const;

/**
 * Returns the `Target` of a toolset; `undefined` without one.
 *
 * @throws TypeError for an option that commands on a target can't have
 */
function toolTarget(
  options: Given<'target' | 'root' | 'session' | 'pipeStatus'>,
  profile: DialectProfile,
): HeldTarget | undefined {
  const { target, root, session } = options;
  if (target === undefined) return undefined;
  const held = holdTarget(withProtected(target, profile), root);
  if (session === 'carry') throw unavailable('session');
  for (const name of UNAVAILABLE) {
    if (boolean(`options.${name}`, options[name]) === true) throw unavailable(name);
  }
  return held;
}

/**
 * Returns the options of a target. A container that is made protects the dialect's paths, unless the host
 * says which.
 */
function withProtected(target: unknown, { protected: own }: DialectProfile): unknown {
  const container = isRecord(target) ? target.container : undefined;
  if (own.length === 0 || !isRecord(container) || container.image === undefined) return target;
  return { ...(target as object), container: { protected: own, ...container } };
}

/**
 * Returns the settings of a dialect about the target. The model writes for bash where that is the dialect's
 * shell, which a target may lack.
 */
function targetSettings(
  target: HeldTarget | undefined,
  { shell }: Given<'shell'>,
  { usesBash }: DialectProfile,
): { place?: string; isInContainer?: boolean } {
  if (target === undefined) return {};
  const { paragraph, isOwnContainer } = target.held;
  const place = usesBash && shell === undefined ? `${paragraph} ${WITHOUT_BASH}` : paragraph;
  return { place, isInContainer: isOwnContainer };
}

const WITHOUT_BASH = 'If bash is missing there, sh runs them, and `cd` may last for one call only.';

function unavailable(name: string): CodedTypeError {
  const message = `Invalid option 'options.${name}': not available with a target in this version`;
  return wrong(message, 'ERR_FEATURE_UNAVAILABLE');
}

export { targetSettings, toolTarget };
