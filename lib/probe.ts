import type * as Native from '../native.js';
import { failure, probeSandboxes, probeTreeLimits } from './addon/native.ts';
import { answered } from './addon/native-error.ts';
import type {
  Probe,
  SandboxAvailability,
  SandboxLevel,
  TreeLimitsAvailability,
} from './options/surroundings/sandbox-api.ts';
import type { CodedError } from './support/coded-error.ts';

const LEVELS: SandboxLevel[] = ['read-only', 'workspace-write', 'isolated'];

/**
 * Finds out what this machine can do: whether the addon is there, the limits of all processes together, and
 * the sandboxes, by building some in which nothing runs. The first call takes some milliseconds; its answer
 * is kept for this process with its workers. Leaves nothing on disk.
 *
 * @example
 * const { sandbox } = await probe();
 * if (!sandbox['workspace-write'].available) console.error(sandbox['workspace-write'].reason);
 */
export async function probe(): Promise<Probe> {
  if (failure !== null) return withoutAddon(failure);
  const { HOME, AGENT_BASH_SANDBOX } = process.env;
  const probed = await probeSandboxes(HOME || undefined, AGENT_BASH_SANDBOX !== undefined);
  const levels = answered(probed as Native.LevelResult[]);
  const entries = levels.map(({ level, available, mechanism, missing, reason }) => [
    level,
    { available, mechanism: mechanism ?? null, missing, reason: reason ?? null },
  ]);
  return { error: null, sandbox: Object.fromEntries(entries) as Probe['sandbox'], treeLimits: treeLimits() };
}

function treeLimits(): TreeLimitsAvailability {
  const { mechanism, controllers, reason } = probeTreeLimits(process.env.AGENT_BASH_CGROUP || undefined);
  return {
    mechanism: (mechanism as TreeLimitsAvailability['mechanism']) ?? null,
    controllers,
    reason: reason ?? null,
  };
}

function withoutAddon({ code, message }: CodedError): Probe {
  const none = (): SandboxAvailability => ({
    available: false,
    mechanism: null,
    missing: [],
    reason: message,
  });
  return {
    error: { code, message } as Probe['error'],
    sandbox: Object.fromEntries(LEVELS.map((level) => [level, none()])) as Probe['sandbox'],
    treeLimits: { mechanism: null, controllers: [], reason: message },
  };
}
