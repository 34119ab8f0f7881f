import type { Job as PublicJob } from '../job/api.ts';
import { throwLater } from '../job/events/event-scope.ts';
import type { Job } from '../job/job.ts';
import type { CallContext } from './api/definition.ts';
import type { StartedCommand, ToolsetState } from './toolset-state.ts';
import type { Updates } from './updates.ts';

/**
 * Returns the function that gets the job of each command of a call before its first output: it hands the job
 * to the host and begins the updates. Returns `undefined` where nobody wants either: a plain run is faster.
 */
function startListener(
  tool: string,
  { onJob, callId }: CallContext,
  updates: Updates | undefined,
  state: ToolsetState,
): ((started: StartedCommand) => void) | undefined {
  const hasListener = typeof onJob === 'function' || state.hasListener('start');
  if (!hasListener && updates === undefined) return undefined;
  return ({ job, pty, shown = same }) => {
    updates?.follow(job, shown);
    try {
      onJob?.(job as unknown as PublicJob, { pty });
    } catch (error) {
      throwLater(error);
    }
    if (!state.hasListener('start')) return;
    const event = { tool, callId, command: job.command, pty };
    state.emit('start', withJob(event, job));
  };
}

/** Adds the job to an event, where no audit writes it by accident. */
function withJob<Event extends object>(event: Event, job: Job): Event & { job: PublicJob } {
  return Object.defineProperty(event, 'job', { value: job, enumerable: false }) as Event & { job: PublicJob };
}

function same(text: string): string {
  return text;
}

export { startListener };
