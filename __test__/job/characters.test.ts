import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';
import { EventLog } from '../support/event-log.js';

async function record(command: string): Promise<EventLog> {
  const job = new BashJob({ command }, '/');
  const received = new EventLog(job);
  await job.result;
  return received;
}

/** Writes each byte on its own, with time to be read in between. */
function byteByByte(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `printf '\\${byte.toString(8).padStart(3, '0')}'`)
    .join('; sleep 0.05; ');
}

describe('a character', () => {
  it.each(['é', '€', '😀', 'aé€😀b'])('whose bytes come one by one is whole: %s', async (text) => {
    expect((await record(byteByByte(text))).text()).toBe(text);
  });

  it('is never cut by the end of a chunk', async () => {
    const { chunks } = await record(
      `printf 'x'; i=0; while [ $i -lt 4000 ]; do printf '€€€€€€€€€€€€€€€€€€€€'; i=$((i+1)); done`,
    );
    expect(chunks.every(({ text }) => !text.includes('\uFFFD'))).toBe(true);
    expect(chunks.map(({ text }) => text).join('')).toBe(`x${'€'.repeat(80_000)}`);
  });

  it('of one stream is not broken by the other stream', async () => {
    const received = await record(
      "printf '\\303'; sleep 0.1; printf '\\342\\202' >&2; sleep 0.1; printf '\\251'; sleep 0.1; printf '\\254' >&2",
    );
    expect({ out: received.text('stdout'), err: received.text('stderr') }).toEqual({ out: 'é', err: '€' });
  });

  it('that is never completed becomes U+FFFD, before the exit', async () => {
    const received = await record("printf 'a\\342\\202'");
    expect({ text: received.text(), names: received.names.at(-1) }).toEqual({
      text: 'a\uFFFD',
      names: 'exit',
    });
  });

  it('that is invalid becomes U+FFFD', async () => {
    expect((await record("printf 'a\\377b\\300\\200c'")).text()).toBe('a\uFFFDb\uFFFD\uFFFDc');
  });
});
