import { describe, expect, it } from 'vitest';
import { bash } from '../../index.js';

/** Calls `bash()` with arguments of wrong types. */
const call = bash as (...args: unknown[]) => Promise<string>;

const MISSING = "Error: Missing required parameter 'command'";

describe('bash() resolves to an error', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['a string', 'echo hi'],
    ['a symbol', Symbol('args')],
    ['a function', () => 'echo hi'],
    ['no command', {}],
    ['a blank command', { command: ' \n\t' }],
    ['a symbol as the command', { command: Symbol('command') }],
    ['a String object as the command', { command: new String('echo hi') }],
  ])('for %s', async (_, args) => {
    expect(await call(args, '/', false)).toBe(MISSING);
  });

  it('without any argument', async () => {
    expect(await call()).toMatch(/^Error: /);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['a symbol', Symbol('cwd')],
    ['an object', { toString: () => '/' }],
  ])('for %s as the directory', async (_, cwd) => {
    expect(await call({ command: 'true' }, cwd, false)).toMatch(/^Error: /);
  });

  it.each([
    ['an error', () => new Error('thrown')],
    ['a string', () => 'thrown'],
    ['a symbol', () => Symbol('thrown')],
    ['nothing', () => undefined],
    ['an object without a prototype', () => Object.create(null)],
    ['an object that can not be shown', () => ({ toString: () => thrower(new Error('shown')) })],
    ['an error whose message is a symbol', () => Object.assign(new Error(), { message: Symbol('message') })],
    ['a proxy that throws', () => new Proxy({}, { getPrototypeOf: () => thrower(new Error('asked')) })],
  ])('for a getter that throws %s', async (_, thrown) => {
    const args = {
      get command() {
        return thrower(thrown());
      },
    };
    expect(await call(args, '/', false)).toMatch(/^Error: /);
  });

  it('for a proxy that throws', async () => {
    const args = new Proxy({}, { get: () => thrower(new Error('thrown by the proxy')) });
    expect(await call(args, '/', false)).toBe('Error: thrown by the proxy');
  });
});

describe('bash() takes as safe mode', () => {
  it.each([1, 'yes', {}, Symbol('safe')])('whatever is true: %s', async (safeMode) => {
    expect(await call({ command: 'echo hi' }, '/', safeMode)).toBe('Error: Command not allowed in safe mode');
  });
});

function thrower(thrown: unknown): never {
  throw thrown;
}
