import { sandboxMistake } from '../../addon/native.ts';
import { answered } from '../../addon/native-error.ts';
import { invalid, isRecord } from '../checks.ts';

/** Returns whether commands run in a sandbox by this option. */
function isSandboxed(sandbox: unknown): boolean {
  return sandbox !== undefined && sandbox !== false;
}

/** Checks the form of the option `sandbox`, and returns `undefined` for none. */
function sandboxForm(name: string, sandbox: unknown): string | object | undefined {
  if (!isSandboxed(sandbox)) return undefined;
  if (typeof sandbox === 'string' || isRecord(sandbox)) return sandbox;
  throw invalid(name, "'read-only', 'workspace-write', 'isolated' or an object", sandbox);
}

/**
 * Checks a sandbox for commands in the absolute path `root` with this environment, and returns it as
 * JSON for the addon.
 */
function sandboxSpec(
  sandbox: string | object | undefined,
  root: string | undefined,
  environment: string,
): string | undefined {
  if (sandbox === undefined) return undefined;
  if (root === undefined) throw invalid('options.root', 'a directory next to a sandbox', root);
  const spec = JSON.stringify(sandbox);
  const { spec: known, root: knownRoot, environment: knownEnvironment } = latest;
  if (spec !== known || root !== knownRoot || environment !== knownEnvironment) {
    answered(sandboxMistake(spec, root, environment));
    latest = { spec, root, environment };
  }
  return spec;
}

/**
 * The last sandbox that was right, since most agents have one for all commands. A path of it may be gone by
 * now: the addon checks it again when it starts the command.
 */
let latest: { spec?: string; root?: string; environment?: string } = {};

export { isSandboxed, sandboxForm, sandboxSpec };
