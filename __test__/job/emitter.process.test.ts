import { describe, expect, it } from 'vitest';
import { askNode } from '../support/node.js';

const REJECTIONS = `
  const { EventEmitter } = await import('node:events');
  EventEmitter.captureRejections = true;
  const events = [];
  process.on('uncaughtException', (error) => events.push('uncaught ' + error.message));
  process.on('unhandledRejection', (error) => events.push('unhandled ' + error.message));
  const printEvents = async (job) => {
    await job.result;
    await until(() => events.length > 0, 'an event arrives');
    await new Promise(setImmediate);
    console.log(JSON.stringify(events));
  };
  const reject = (name) => async () => { throw new Error(name) };
`;

describe('with captureRejections, an async listener that rejects', () => {
  it('is reported to the error listeners of its job', async () => {
    const events = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('error', (error) => events.push('error ' + error.message));
      job.on('data', reject('data'));
      await printEvents(job);
    `);
    expect(events).toEqual(['error data']);
  });

  it('is reported to the rejection handler of its job, with the event and its arguments', async () => {
    const events = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'exit 3' }, root);
      job[Symbol.for('nodejs.rejection')] = (error, name, code, signal, { status }) => {
        events.push([error.message, name, code, signal, status].join());
      };
      job.on('exit', reject('exit'));
      await printEvents(job);
    `);
    expect(events).toEqual(['exit,exit,3,,exited']);
  });

  it('is an uncaught error without an error listener', async () => {
    const events = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('data', reject('data'));
      await printEvents(job);
    `);
    expect(events).toEqual(['uncaught data']);
  });

  it('takes nothing from the other listeners', async () => {
    const events = await askNode<string[]>(`
      ${REJECTIONS}
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('error', () => {});
      job.on('data', reject('data'));
      job.on('data', (text) => events.push(text.trim()));
      job.on('exit', (code) => events.push('exit ' + code));
      await printEvents(job);
    `);
    expect(events).toEqual(['hi', 'exit 0']);
  });
});

describe('without captureRejections, an async listener that rejects', () => {
  it('is an unhandled rejection', async () => {
    const events = await askNode<string[]>(`
      ${REJECTIONS}
      EventEmitter.captureRejections = false;
      const job = new BashJob({ command: 'echo hi' }, root);
      job.on('error', (error) => events.push('error ' + error.message));
      job.on('data', reject('data'));
      await printEvents(job);
    `);
    expect(events).toEqual(['unhandled data']);
  });
});
