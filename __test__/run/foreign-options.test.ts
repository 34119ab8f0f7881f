import { describe, expect, it } from 'vitest';
import { BashJob, Jobs, run } from '../../index.js';

const TABLE = new URL('../../lib/options/foreign-options.ts', import.meta.url).href;
const { HINTS }: { HINTS: Record<string, string> } = await import(TABLE);

/** Returns the error of an unknown option; `a.b` is the option `b` in the object `a`. */
async function complaint(path: string, value: unknown): Promise<string> {
  const options = path.split('.').reduceRight((inner: unknown, name) => ({ [name]: inner }), value);
  return run('echo never', options as object).then(
    ({ stdout }) => `it ran: ${stdout}`,
    ({ message }) => message,
  );
}

describe('an option of execa or of child_process', () => {
  it.each(Object.entries(HINTS))('is unknown, with what to use instead: %s', async (name, hint) => {
    expect(await complaint(name, 1)).toBe(`Invalid option 'options.${name}': unknown; ${hint}`);
  });

  it.each([...new Set(Object.values(HINTS).flatMap((hint) => hint.match(/(?<=')[\w.]+(?=')/g) ?? []))])(
    'leads to an option that there is: %s',
    async (path) => {
      // A symbol is wrong for each option. An unknown option would have another error.
      expect(await complaint(path, Symbol('wrong'))).toMatch(`Invalid option 'options.${path}': expected`);
    },
  );

  it('is named by a table of jobs too, and stdin is one of its own', async () => {
    await using table = new Jobs();
    const start = (options: object) => () => table.start('true', options);
    expect(start({ maxBuffer: 1 })).toThrow("'options.maxBuffer': unknown; use 'output.maxBytes'");
    expect(start({ stdin: 'other' })).toThrow("'options.stdin': expected 'empty' or 'pipe'");
  });

  it.each([
    ['timout', 'timeout'],
    ['tiemout', 'timeout'],
    ['time_out', 'timeout'],
    ['timeoutMs', 'timeout'],
    ['enviroment', 'environment'],
    ['sandox', 'sandbox'],
    ['kilSignl', 'killSignal'],
    ['output.maxByte', 'maxBytes'],
    ['output.stripansi', 'stripAnsi'],
    ['limits.memroy', 'memory'],
    ['pty.columns', undefined],
    ['cmd', undefined],
    ['xyz', undefined],
  ])('is found by its nearest name if it is mistyped: %s', async (path, meant) => {
    const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
    expect(await complaint(path, 1)).toBe(`Invalid option 'options.${path}': unknown${hint}`);
  });

  it('does not lead a BashJob to options that it has not', () => {
    const make = (options: object) => () => new BashJob({ command: 'true' }, '/', false, options);
    expect(make({ cancelSignal: 1 })).toThrow("'options.cancelSignal': unknown; use 'signal'");
    expect(make({ maxBuffer: 1 })).toThrow(/^Invalid option 'options.maxBuffer': unknown$/);
  });
});
