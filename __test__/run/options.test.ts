import { describe, expect, it } from 'vitest';
import { run as typed } from '../../index.js';

/** Calls `run()` with arguments of wrong types. */
const run = typed as unknown as (...args: unknown[]) => Promise<{ stdout: string }>;

async function rejected(...args: unknown[]): Promise<{ code?: string; message: string }> {
  // A throw here, and not a rejection, would be an error of the test.
  const promise = run(...args);
  expect(promise).toBeInstanceOf(Promise);
  const error: unknown = await promise.then(
    ({ stdout }) => `it ran: ${stdout}`,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(TypeError);
  return error as TypeError & { code?: string };
}

const NOT_A_STRING = [null, 0, 1, true, {}, () => 1, Symbol('x'), 1n];
const NOT_A_BOOLEAN = [null, 0, 1, 'true', '', {}, []];
const NOT_A_TIME = [null, -1, NaN, Infinity, -Infinity, '100', true, {}, [], 1n, Symbol('x')];
const NOT_AN_OBJECT = [null, 0, 'x', true, () => 1, [], Symbol('x')];
const NOT_A_SIZE = [null, -1, 1.5, NaN, Infinity, '1', true, {}, 2 ** 53];
const NOT_A_PATH = [
  null,
  0,
  true,
  {},
  [],
  'a\0b',
  new URL('https://example.org/x'),
  new URL('file:///a%00b'),
];
const NOT_A_CHOICE = [null, 0, true, '', 'other', {}];

const WRONG: Record<string, unknown[]> = {
  cwd: NOT_A_PATH,
  root: NOT_A_PATH,
  env: [...NOT_AN_OBJECT, new Map([['A', 'b']]), { 'a=b': 'c' }],
  'env.A': [null, {}, [], () => 1, 'a\0b', 1, 0, true, Symbol('x'), 1n],
  extendEnv: NOT_A_BOOLEAN,
  nonInteractive: NOT_A_BOOLEAN,
  shell: [...NOT_A_STRING, '', ' ', 'a\0b', [], [''], [1], ['/bin/sh', null], ['/bin/sh', 'a\0b']],
  input: [null, 0, true, {}, [], [1, 2], new ArrayBuffer(2), Symbol('x')],
  timeout: NOT_A_TIME,
  idleTimeout: NOT_A_TIME,
  backgroundTimeout: NOT_A_TIME,
  signal: [null, {}, 'SIGTERM', new AbortController(), new EventTarget(), AbortSignal],
  killSignal: [null, 0, -1, 1.5, 65, 999, NaN, '', 'SIGFOO', 'TERM ', {}, true],
  forceKillAfterDelay: [null, -1, NaN, Infinity, '1', true, {}],
  background: NOT_A_CHOICE,
  onTimeout: NOT_A_CHOICE,
  drain: [null, 0, true, 'other', '', []],
  'drain.idle': NOT_A_TIME,
  'drain.max': NOT_A_TIME,
  output: NOT_AN_OBJECT,
  'output.maxBytes': [...NOT_A_SIZE, 67_108_865],
  'output.keep': NOT_A_CHOICE,
  'output.headBytes': [...NOT_A_SIZE, 67_108_865],
  'output.cut': NOT_A_CHOICE,
  'output.merge': NOT_A_BOOLEAN,
  'output.stripAnsi': NOT_A_BOOLEAN,
  'output.marker': NOT_A_STRING,
  'output.spill': [null, 0, 1, 'x', [], () => 1],
  'output.spill.directory': NOT_A_PATH,
  'output.spill.maxBytes': NOT_A_SIZE,
  limits: NOT_AN_OBJECT,
  'limits.memory': [...NOT_A_SIZE, 0],
  'limits.processes': [...NOT_A_SIZE, 0],
  'limits.fileSize': [...NOT_A_SIZE, 0],
  'limits.cpu': [...NOT_A_TIME, 0],
  'limits.openFiles': [...NOT_A_SIZE, 0],
  reject: NOT_A_BOOLEAN,
  jobs: [null, {}, [], new Map()],
};

/** Options with this value at this place. */
function optionsWith(path: string, value: unknown): Record<string, unknown> {
  const [name, ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : optionsWith(rest.join('.'), value) };
}

describe('a wrong value is a rejection with a TypeError that names', () => {
  it.each(Object.keys(WRONG))('%s', async (path) => {
    for (const value of WRONG[path]) {
      const error = await rejected('echo never', optionsWith(path, value));
      expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
      expect(error.message).toContain(`'options.${path}`);
    }
  });

  it.each([
    ['the command', undefined],
    ['the command', null],
    ['the command', 1],
    ['the command', {}],
    ['the command', ''],
    ['the command', ' \n\t'],
    ['the command', 'a\0b'],
    ['the command', []],
    ['the command', ['']],
    ['the command', [' ']],
    ['the command', [null]],
    ['the command', ['echo', 1]],
    ['the command', ['echo', undefined]],
    ['the command', ['echo', 'a\0b']],
    ['the command', new Array(2)],
  ])('%s: %j', async (_, command) => {
    const error = await rejected(command);
    expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
    expect(error.message).toContain('command');
  });

  it.each([
    ['a shell next to an array', ['echo'], { shell: '/bin/sh' }, 'options.shell'],
    ["'auto' next to an array", ['echo'], { shell: 'auto' }, 'options.shell'],
    [
      "headBytes without keep 'both'",
      'true',
      { output: { keep: 'tail', headBytes: 1 } },
      'options.output.headBytes',
    ],
  ])('what does not fit together: %s', async (_, command, options, name) => {
    const error = await rejected(command, options);
    expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
    expect(error.message).toContain(name);
  });

  it.each(NOT_AN_OBJECT)('the options themselves: %s', async (options) => {
    const error = await rejected('echo never', options);
    expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
    expect(error.message).toContain("'options'");
  });

  it.each([
    ['timeOut', 'options.timeOut', "'timeout'"],
    ['time', 'options.time', "'timeout'"],
    ['environ', 'options.environ', "'env'"],
    ['nonsense', 'options.nonsense', ''],
    ['stdin', 'options.stdin', ''],
    ['stdio', 'options.stdio', ''],
    ['output.maxbytes', 'options.output.maxbytes', "'maxBytes'"],
    ['output.spill.dir', 'options.output.spill.dir', "'directory'"],
    ['limits.mem', 'options.limits.mem', "'memory'"],
    ['drain.maximum', 'options.drain.maximum', "'max'"],
  ])('an unknown option: %s', async (path, name, meant) => {
    const error = await rejected('echo never', optionsWith(path, 1));
    expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
    expect(error.message).toContain(name);
    expect(error.message).toContain(meant);
  });
});

describe('options', () => {
  const names = [...new Set(Object.keys(WRONG))];

  it.each(names)('may have an undefined %s', async (path) => {
    expect((await run('echo hi', optionsWith(path, undefined))).stdout).toBe('hi\n');
  });

  it('may be undefined, empty, frozen, and without a prototype', async () => {
    for (const options of [undefined, {}, Object.freeze({ timeout: 0 }), Object.create(null)]) {
      expect((await run('echo hi', options)).stdout).toBe('hi\n');
    }
  });

  it.each([
    ['a timeout of a fraction', { timeout: 60_000.5 }],
    ['a timeout beyond all times', { timeout: Number.MAX_VALUE }],
    ['no limits of time', { timeout: 0, idleTimeout: 0, backgroundTimeout: 0 }],
    ['no force', { forceKillAfterDelay: false }],
    ['force at once', { forceKillAfterDelay: 0 }],
    ['a drain of nothing', { drain: { idle: 0, max: 0 } }],
    ['a drain to the end', { drain: 'end' }],
    ['a signal by number', { killSignal: 2 }],
    ['the largest limits of output', { output: { maxBytes: 67_108_864, headBytes: 67_108_864 } }],
    ['the largest limits', { limits: { memory: 2 ** 53 - 1, fileSize: 2 ** 53 - 1, cpu: 1e15 } }],
  ])('may ask for %s', async (_, options) => {
    expect((await run('echo hi', options)).stdout).toBe('hi\n');
  });

  it('that throw when they are looked at are a rejection with that error', async () => {
    const thrown = new Error('thrown by the getter');
    const options = {
      get timeout(): number {
        throw thrown;
      },
    };
    const promise = run('echo never', options);
    await expect(promise).rejects.toBe(thrown);
  });

  it('may be changed after the call', async () => {
    const options: Record<string, unknown> = { timeout: 60_000, output: { maxBytes: 100 } };
    const answer = run('echo hi', options);
    options.timeout = 1;
    (options.output as Record<string, unknown>).maxBytes = 0;
    expect((await answer).stdout).toBe('hi\n');
  });

  it('that are wrong start nothing', async () => {
    await rejected('touch /tmp/agent-bash-must-not-exist', { timeout: 'soon' });
    expect((await run('ls /tmp/agent-bash-must-not-exist 2>&1 | wc -l')).stdout.trim()).toBe('1');
    expect((await run('test -e /tmp/agent-bash-must-not-exist; echo $?')).stdout).toBe('1\n');
  });
});
