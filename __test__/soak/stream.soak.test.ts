import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { askNode, INDEX } from '../support/node.js';
import { fileOf, randomBytes } from '../support/random-bytes.js';

/** The length of the stream (MiB): `SOAK_MIB=1024` for a long one. */
const LENGTH = Number(process.env.SOAK_MIB ?? 64);
const MIB = 1024 * 1024;

const BLOCK = randomBytes(MIB);

interface Report {
  growth: number;
  digest: string;
  total: number;
}

/** Streams the block again and again, and tells its digest and how much the memory of Node grew. */
function stream(consume: string): Promise<Report> {
  const command = `for i in $(seq ${LENGTH}); do cat ${fileOf(BLOCK)}; done`;
  return askNode<Report>(`
    import { createHash } from 'node:crypto';
    import { Jobs } from ${JSON.stringify(INDEX)};
    const table = new Jobs();
    const job = table.start(${JSON.stringify(command)}, { encoding: 'buffer', output: { maxBytes: 0 } });
    const hash = createHash('sha256');
    const before = residentMemory();
    let most = before;
    const look = setInterval(() => { most = Math.max(most, residentMemory()) }, 5);
    ${consume}
    const { totalBytes } = await job.result;
    clearInterval(look);
    console.log(JSON.stringify({ growth: most - before, digest: hash.digest('hex'), total: totalBytes.stdout }));
  `);
}

describe(`${LENGTH} MiB of bytes`, () => {
  it.each([
    ['events', "job.on('data', (chunk) => hash.update(chunk));"],
    ['a loop', 'for await (const { data } of job) hash.update(data);'],
  ])('arrive by %s, unchanged and in little memory', { timeout: 300_000 }, async (_, consume) => {
    const { growth, digest, total } = await stream(consume);
    const expected = createHash('sha256');
    for (let i = 0; i < LENGTH; i++) expected.update(BLOCK);
    expect({ digest, total }).toEqual({ digest: expected.digest('hex'), total: LENGTH * MIB });
    expect(growth).toBeLessThan(96 * MIB);
  });
});
