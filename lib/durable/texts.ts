// Texts about durable jobs, for people and models.

import type { DurableInfo } from './api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns how a job is: that it runs and for how long, or how it ended. */
function stateOf({ end, elsewhere, startedAt }: DurableInfo, now: number = Date.now()): string {
  if (end !== null) return endText(end);
  if (elsewhere) return 'belongs to another machine';
  return `runs (${durationText(now - startedAt)})`;
}

function endText({ cause, exitCode, signal, reason }: NonNullable<DurableInfo['end']>): string {
  const how = exitCode === null ? (signal === null ? '' : `killed by ${signal}`) : `exit code ${exitCode}`;
  if (cause === 'lost') return `was lost${reason === null ? '' : ` (${reason})`}`;
  if (reason === 'system') return `ended: ${how} (by the system, as at a log-out or a shutdown)`;
  if (cause === 'exit' || cause === 'kill') return `ended: ${how}`;
  return `ended: ${CAUSES[cause]}`;
}

const CAUSES: Record<'timeout' | 'idle' | 'deadline' | 'unattended', string> = {
  timeout: 'its timeout was up',
  idle: 'it wrote nothing for too long',
  deadline: 'its longest run was over',
  unattended: 'no session was attached for too long',
};

/** Returns the sentence about a lost job. */
function lostText({ id, end, totalBytes, dropped }: DurableInfo): string {
  const kept = (totalBytes - dropped).toLocaleString('en');
  const reason = end?.reason ? ` (${end.reason})` : '';
  return `Job ${id} was lost${reason}. Its exit code is unknown; ${kept} bytes of output are kept.`;
}

/** Returns a duration in its largest unit, such as `2 h`. */
function durationText(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d`;
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  if (ms >= MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return `${Math.max(0, Math.floor(ms / 1_000))} s`;
}

/** Returns a time as `2026-11-28 05:47 UTC`. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export { durationText, lostText, stateOf, timeText };
