// Waits for the events of a job.

import { once } from 'node:events';
import { expect } from 'vitest';
import type { InputWait, Job } from '../../index.js';

/** Waits until the job waits for input, at most 40 s. */
export async function nextWait(job: Job): Promise<InputWait> {
  const [wait] = await once(job, 'waiting', { signal: AbortSignal.timeout(40_000) });
  return wait;
}

/** Waits until the job's screen matches a pattern, and returns its text. */
export async function shown(job: Job, pattern: string | RegExp): Promise<string> {
  const { status, screen } = await job.waitForScreen(pattern, { timeout: 60_000 });
  expect(status, screen.text).toBe('matched');
  return screen.text;
}
