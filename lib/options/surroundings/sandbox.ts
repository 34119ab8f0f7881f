import { sandboxMistake } from '../../addon/native.ts';
import { answered } from '../../addon/native-error.ts';
import { invalid, isRecord } from '../checks.ts';

/** Returns whether commands run in a sandbox by this option. */
function isSandboxed(sandbox: unknown): boolean {
  return sandbox !== undefined && sandbox !== false;
}

/**
 * Checks `options.sandbox` for commands in the absolute path `root` with this environment, and returns it as
 * JSON for the addon.
 */
function sandboxSpec(sandbox: unknown, root: string | undefined, environment: string): string | undefined {
  if (!isSandboxed(sandbox)) return undefined;
  if (typeof sandbox !== 'string' && !isRecord(sandbox)) {
    throw invalid('options.sandbox', "'read-only', 'workspace-write', 'isolated' or an object", sandbox);
  }
  if (root === undefined) throw invalid('options.root', 'a directory next to a sandbox', root);
  const spec = JSON.stringify(sandbox);
  answered(sandboxMistake(spec, root, environment));
  return spec;
}

export { isSandboxed, sandboxSpec };
