import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';

const REJECTIONS = `
  const { EventEmitter } = await import('node:events');
  EventEmitter.captureRejections = true;
  const told = [];
  process.on('uncaughtException', (error) => told.push('uncaught ' + error.message));
  process.on('unhandledRejection', (error) => told.push('unhandled ' + error.message));
  const tell = async (job) => {
    await job.result;
    await until(() => told.length > 0, 'something is told');
    await new Promise(setImmediate);
    console.log(JSON.stringify(told));
  };
  const reject = (name) => async () => { throw new Error(name) };
`;

describe('with captureRejections, an async listener that rejects', () => {
  it('is reported to the error listeners of its job', async () => {
    const told = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('error', (error) => told.push('error ' + error.message));
      job.on('data', reject('data'));
      await tell(job);
    `);
    expect(told).toEqual(['error data']);
  });

  it('is reported to the rejection handler of its job, with the event and its arguments', async () => {
    const told = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'exit 3' }, root);
      job[Symbol.for('nodejs.rejection')] = (error, name, code, signal, { status }) => {
        told.push([error.message, name, code, signal, status].join());
      };
      job.on('exit', reject('exit'));
      await tell(job);
    `);
    expect(told).toEqual(['exit,exit,3,,exited']);
  });

  it('is an uncaught error where nobody listens for errors', async () => {
    const told = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('data', reject('data'));
      await tell(job);
    `);
    expect(told).toEqual(['uncaught data']);
  });

  it('takes nothing from the other listeners', async () => {
    const told = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('error', () => {});
      job.on('data', reject('data'));
      job.on('data', (text) => told.push(text.trim()));
      job.on('exit', (code) => told.push('exit ' + code));
      await tell(job);
    `);
    expect(told).toEqual(['hi', 'exit 0']);
  });
});

describe('without captureRejections, an async listener that rejects', () => {
  it('is an unhandled rejection', async () => {
    const told = await askNode<string[]>(`
      ${REJECTIONS}
      EventEmitter.captureRejections = false;
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('error', (error) => told.push('error ' + error.message));
      job.on('data', reject('data'));
      await tell(job);
    `);
    expect(told).toEqual(['unhandled data']);
  });
});
