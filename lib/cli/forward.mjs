import { once } from 'node:events';

/** Writes the output of a job to the streams of this process, until it ends. */
async function forward(job) {
  for await (const { stream, text, data } of job) {
    if (!process[stream].write(text ?? data)) await room(process[stream]);
  }
}

/** Waits until a stream takes more, or is closed: then the reader has ended, and so does the command. */
async function room(stream) {
  const over = new AbortController();
  const waits = ['drain', 'close'].map((name) => once(stream, name, { signal: over.signal }).catch(() => {}));
  if (!stream.destroyed) await Promise.race(waits);
  over.abort();
}

export { forward };
