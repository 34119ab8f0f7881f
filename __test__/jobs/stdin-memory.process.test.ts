import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';

const IMPORT = `
  import { Readable } from 'node:stream';
  import { pipeline } from 'node:stream/promises';
  import { createHash } from 'node:crypto';
  import { Jobs } from ${JSON.stringify(INDEX)};
  const MIB = 1024 * 1024;
  const table = new Jobs();
`;

interface Report {
  bytes: number;
  isSame: boolean;
  grown: number;
}

describe('20 MB through the stdin stream of cat', () => {
  it('arrive whole at a slow reader, in bounded memory', async () => {
    const { bytes, isSame, grown } = await askNode<Report>(`
      ${IMPORT}
      await table.start('true').result;
      const job = table.start('exec cat', { stdin: 'pipe', output: { maxBytes: 1_000 } });
      const [sent, got] = [createHash('sha1'), createHash('sha1')];
      let seed = 1;
      let made = 0;
      // Text that does not repeat, and is made when it is asked for only.
      const source = Readable.from((function* () {
        while (made < 20 * MIB) {
          let text = '';
          while (text.length < 32_768) text += (seed = (seed * 48_271) % 2_147_483_647).toString(36) + '\\n';
          made += text.length;
          sent.update(text);
          yield Buffer.from(text);
        }
      })());
      const before = process.memoryUsage.rss();
      let most = 0;
      const piped = pipeline(source, job.stdin);
      let bytes = 0;
      let ahead = 0;
      let count = 0;
      for await (const { text } of job) {
        got.update(text);
        bytes += text.length;
        ahead = Math.max(ahead, made - bytes);
        most = Math.max(most, process.memoryUsage.rss());
        if (count++ % 8 === 0) await deliberateDelay(5);
      }
      await piped;
      if (ahead > 4 * MIB) throw new Error('the source was ' + ahead + ' bytes ahead');
      console.log(JSON.stringify({
        bytes: made - bytes, isSame: sent.digest('hex') === got.digest('hex'), grown: most - before,
      }));
    `);
    expect({ bytes, isSame }).toEqual({ bytes: 0, isSame: true });
    expect(grown).toBeLessThan(150 * 1024 * 1024);
  });

  it('wait in the source while cat does not read', async () => {
    const { made, status } = await askNode<{ made: number; status: string }>(`
      ${IMPORT}
      const job = table.start('exec sleep 60', { stdin: 'pipe' });
      let made = 0;
      const source = Readable.from((function* () {
        for (;;) {
          made += 65_536;
          yield Buffer.alloc(65_536);
        }
      })());
      source.pipe(job.stdin);
      await unchangedFor(300, () => made);
      source.unpipe();
      source.destroy();
      const { status } = job;
      await table.dispose();
      console.log(JSON.stringify({ made, status }));
    `);
    expect(status).toBe('running');
    expect(made).toBeLessThan(8 * 1024 * 1024);
  });
});
