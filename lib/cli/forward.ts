import { once } from 'node:events';
import type { Job } from 'agent-bash';
import type { Encoding } from '../result/output-api.ts';

/** Writes the output of a job to the streams of this process, until it ends. */
async function forward<E extends Encoding>(job: Job<E>): Promise<void> {
  for await (const chunk of job) {
    const output = 'text' in chunk ? chunk.text : chunk.data;
    if (!process[chunk.stream].write(output)) await room(process[chunk.stream]);
  }
}

/** Waits until a stream takes more, or is closed: then the reader has ended, and so does the command. */
async function room(stream: NodeJS.WriteStream): Promise<void> {
  const over = new AbortController();
  const waits = ['drain', 'close'].map((name) => once(stream, name, { signal: over.signal }).catch(() => {}));
  if (!stream.destroyed) await Promise.race(waits);
  over.abort();
}

export { forward, room };
