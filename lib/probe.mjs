import { failure, probeSandboxes } from './addon/native.mjs';

const LEVELS = ['read-only', 'workspace-write', 'isolated'];

/** Probes this machine: whether the addon is there, and the sandboxes. The addon keeps its first answer. */
async function probe() {
  if (failure !== null) return withoutAddon(failure);
  const { HOME, AGENT_BASH_SANDBOX } = process.env;
  const levels = await probeSandboxes(HOME || undefined, AGENT_BASH_SANDBOX !== undefined);
  const entries = levels.map(({ level, available, mechanism, missing, reason }) => [
    level,
    { available, mechanism: mechanism ?? null, missing, reason: reason ?? null },
  ]);
  return { error: null, sandbox: Object.fromEntries(entries) };
}

function withoutAddon({ code, message }) {
  const none = () => ({ available: false, mechanism: null, missing: [], reason: message });
  return {
    error: { code, message },
    sandbox: Object.fromEntries(LEVELS.map((level) => [level, none()])),
  };
}

export { probe };
