import { invalid, isRecord } from '../../checks.ts';

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

export { isSandboxed, sandboxForm };
