import { probeSandboxes } from './addon/native.mjs';

/** Probes the sandboxes of this machine. The addon keeps its first answer. */
async function probe() {
  const { HOME, AGENT_BASH_SANDBOX } = process.env;
  const levels = await probeSandboxes(HOME || undefined, AGENT_BASH_SANDBOX !== undefined);
  const entries = levels.map(({ level, available, mechanism, missing, reason }) => [
    level,
    { available, mechanism: mechanism ?? null, missing, reason: reason ?? null },
  ]);
  return { sandbox: Object.fromEntries(entries) };
}

export { probe };
