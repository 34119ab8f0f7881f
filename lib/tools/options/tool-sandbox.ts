// The sandbox of a toolset: the paths that its dialect protects, and its description for the model.

import { sandboxParagraph } from '../../addon/native.ts';
import { answered } from '../../addon/native-error.ts';
import type { CommandPlan } from '../../job/command-plan.ts';
import { invalid, isRecord } from '../../options/checks.ts';
import {
  connectDecider,
  withConnect,
  withoutConnect,
} from '../../options/surroundings/sandbox/connect-option.ts';
import { withoutRules, withRules } from '../../options/surroundings/sandbox/host-rules.ts';
import { isSandboxed } from '../../options/surroundings/sandbox/sandbox-form.ts';
import type { DialectProfile } from '../dialects.ts';

/**
 * Returns a copy of the option `sandbox` which also protects the dialect's paths. All commands share the
 * lasting answers about hosts.
 */
function toolSandbox(given: unknown, profile: DialectProfile): unknown {
  if (!isSandboxed(given)) return undefined;
  // Functions can't be copied.
  const { sandbox, rules } = withoutRules(given);
  const own = protectedCopy(withoutConnect(sandbox), profile);
  return withRules(withConnect(own, connectDecider(given)), rules);
}

function protectedCopy(sandbox: unknown, profile: DialectProfile): unknown {
  const options = typeof sandbox === 'string' ? { level: sandbox } : sandbox;
  // The usual checks refuse it.
  if (!isRecord(options)) return sandbox;
  const { protected: given = [] } = options;
  if (!Array.isArray(given ?? [])) return sandbox;
  // At the level `read-only`, nothing below the root can be written anyway.
  const own = options.level === 'read-only' ? [] : profile.protected;
  if (own.length === 0) return structuredClone(sandbox);
  return structuredClone({ ...options, protected: [...own, ...((given as string[] | null) ?? [])] });
}

/**
 * Returns the paragraph that tells a model what commands with these options may do; `undefined` without a
 * sandbox.
 *
 * @throws TypeError for an option of the sandbox that is wrong
 */
function sandboxText({ refusal, spec: { surroundings } }: CommandPlan): string | undefined {
  // Without a working directory of its own, Node.js starts no command.
  const { sandbox, root, environment, overlay, scope } = surroundings;
  if (sandbox === undefined || root === undefined || refusal !== null) return undefined;
  const paragraph = answered(sandboxParagraph(sandbox, root, environment, overlay !== undefined));
  return scope === undefined ? paragraph : `${paragraph} ${scope.paragraph()}`;
}

/**
 * Returns whether commands may ask for more than their sandbox gives. The usual checks refuse other values.
 */
function maySandboxAsk(sandbox: unknown, { name, asksForMore }: DialectProfile): boolean {
  if (!isRecord(sandbox) || sandbox.escalate !== 'ask') return false;
  if (asksForMore) return true;
  const never = `'never', as the dialect '${name}' has no argument to ask by`;
  throw invalid('options.sandbox.escalate', never, sandbox.escalate);
}

export { maySandboxAsk, sandboxText, toolSandbox };
