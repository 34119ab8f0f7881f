import { describe, expect, it } from 'vitest';
import { askNode, runNode } from '../support/node.js';

interface Told {
  errors: number;
  chunks: number;
  heard: number;
  exits: number;
  stdout: number;
}

/** Two listeners, of which one throws at each chunk. */
function program(order: 'first' | 'last', event: 'data' | 'exit'): string {
  return `
    const told = { errors: 0, chunks: 0, heard: 0, exits: 0, stdout: 0 };
    process.on('uncaughtException', () => { told.errors++ });
    const job = new BashJob({ command: 'seq 20000; sleep 0.1; echo end' }, root);
    const listen = () => {
      job.on('data', (text) => { told.chunks++; told.heard += text.length });
      job.on('exit', () => { told.exits++ });
    };
    const fail = () => job.on('${event}', () => { throw new Error('thrown by a listener') });
    ${order === 'first' ? 'fail(); listen();' : 'listen(); fail();'}
    told.stdout = (await job.result).totalBytes.stdout;
    // The errors come in ticks of their own.
    await new Promise(setImmediate);
    console.log(JSON.stringify(told));
  `;
}

describe('a listener that throws', () => {
  it.each(['first', 'last'] as const)('at data, %s of two, takes nothing from the other', async (order) => {
    const { errors, chunks, heard, exits, stdout } = await askNode<Told>(program(order, 'data'));
    expect({ heard, exits, stdout }).toEqual({ heard: 108_898, exits: 1, stdout: 108_898 });
    expect(errors).toBe(chunks);
  });

  it.each(['first', 'last'] as const)('at exit, %s of two, takes nothing from the other', async (order) => {
    const { errors, heard, exits } = await askNode<Told>(program(order, 'exit'));
    expect({ errors, heard, exits }).toEqual({ errors: 1, heard: 108_898, exits: 1 });
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

  it('ends Node when nobody catches it, as any uncaught error', async () => {
    const { code, stderr } = await runNode(`
      const job = new BashJob({ command: 'echo hi; exec sleep 60' }, root);
      job.on('data', () => { throw new Error('thrown by a listener') });
    `);
    expect(code).toBe(1);
    expect(stderr).toContain('thrown by a listener');
  });
});
