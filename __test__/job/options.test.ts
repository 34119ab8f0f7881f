import { describe, expect, it } from 'vitest';
import { BashJob } from '../../index.js';

/** Constructs a job with arguments of wrong types. */
const Job = BashJob as unknown as new (...args: unknown[]) => BashJob;

function thrownFor(options: unknown): unknown {
  try {
    new Job({ command: 'true' }, '/', false, options);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a wrong option is a TypeError that names', () => {
  it.each([
    -1,
    NaN,
    Infinity,
    -Infinity,
    '1000',
    null,
    true,
    10n,
    Symbol('ms'),
    {},
    () => 1,
    Object.create(null),
  ])('timeout', (timeout) => {
    const error = thrownFor({ timeout });
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
      message: expect.stringContaining('options.timeout'),
    });
  });

  it.each([
    null,
    'SIGTERM',
    {},
    new EventTarget(),
    new AbortController(),
    Symbol('signal'),
    Object.create(null),
  ])('signal', (signal) => {
    const error = thrownFor({ signal });
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
      message: expect.stringContaining('options.signal'),
    });
  });

  it.each([null, 5, 'timeout', Symbol('options')])('options themselves: %s', (options) => {
    const error = thrownFor(options);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
      message: expect.stringContaining("'options'"),
    });
  });

  it.each([
    ['timeOut', "Invalid option 'options.timeOut': unknown; did you mean 'timeout'?"],
    ['cwd', "Invalid option 'options.cwd': unknown"],
  ])('an unknown option: %s', (name, message) => {
    const error = thrownFor({ [name]: 5 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE', message });
  });
});

describe('options', () => {
  it.each([undefined, {}, { timeout: undefined, signal: undefined }])('may be %o', async (options) => {
    expect((await new Job({ command: 'echo hi' }, '/', false, options).result).stdout).toBe('hi\n');
  });
});
