import { describe, expect, it } from 'vitest';
import { askNode, runNode } from '../support/node.js';

interface Counts {
  errors: number;
  chunks: number;
  received: number;
  exits: number;
  stdout: number;
}

/** Two listeners, of which one throws at each chunk. */
function program(order: 'first' | 'last', event: 'data' | 'exit'): string {
  return `
    const counts = { errors: 0, chunks: 0, received: 0, exits: 0, stdout: 0 };
    process.on('uncaughtException', () => { counts.errors++ });
    const job = new BashJob({ command: 'seq 20000; sleep 0.1; echo end' }, root);
    const listen = () => {
      job.on('data', (text) => { counts.chunks++; counts.received += text.length });
      job.on('exit', () => { counts.exits++ });
    };
    const fail = () => job.on('${event}', () => { throw new Error('thrown by a listener') });
    ${order === 'first' ? 'fail(); listen();' : 'listen(); fail();'}
    counts.stdout = (await job.result).totalBytes.stdout;
    // The errors come in ticks of their own.
    await new Promise(setImmediate);
    console.log(JSON.stringify(counts));
  `;
}

describe('a listener that throws', () => {
  it.each(['first', 'last'] as const)('at data, %s of two, takes nothing from the other', async (order) => {
    const { errors, chunks, received, exits, stdout } = await askNode<Counts>(program(order, 'data'));
    expect({ received, exits, stdout }).toEqual({ received: 108_898, exits: 1, stdout: 108_898 });
    expect(errors).toBe(chunks);
  });

  it.each(['first', 'last'] as const)('at exit, %s of two, takes nothing from the other', async (order) => {
    const { errors, received, exits } = await askNode<Counts>(program(order, 'exit'));
    expect({ errors, received, exits }).toEqual({ errors: 1, received: 108_898, exits: 1 });
  });

  it('takes nothing from other jobs', async () => {
    const outputs = await askNode<string[]>(`
      process.on('uncaughtException', () => {});
      const jobs = [1, 2, 3, 4].map((number) => new BashJob({ command: 'seq 3; exit ' + number }, root));
      for (const job of jobs) job.on('data', () => { throw new Error('thrown by a listener') });
      for (const job of jobs) job.on('exit', () => { throw new Error('thrown by a listener') });
      const results = await Promise.all(jobs.map((job) => job.result));
      console.log(JSON.stringify(results.map((result) => result.output)));
    `);
    expect(outputs).toEqual([1, 2, 3, 4].map((number) => `1\n2\n3\n\n[Exit code: ${number}]`));
  });

  it('ends Node, as any uncaught error', async () => {
    const { code, stderr } = await runNode(`
      const job = new BashJob({ command: 'echo hi; exec sleep 60' }, root);
      job.on('data', () => { throw new Error('thrown by a listener') });
    `);
    expect(code).toBe(1);
    expect(stderr).toContain('thrown by a listener');
  });
});
