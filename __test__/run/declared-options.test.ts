import { describe, expect, it } from 'vitest';
import { Jobs, run, ShellSession } from '../../index.js';
import { Declarations } from '../support/declarations.js';

/** Calls that start nothing, by the type of the options that each takes. */
const CALLS: Record<string, (options: object) => unknown> = {
  RunOptions: (options) => run('true', { signal: AbortSignal.abort(), ...options }),
  JobOptions: (options) => new Jobs().start('true', { signal: AbortSignal.abort(), ...options }),
  JobsOptions: (options) => new Jobs(options),
  SessionOptions: (options) => new ShellSession(options),
  OutputOptions: (output) => run('true', { signal: AbortSignal.abort(), output }),
  SpillOptions: (spill) => run('true', { signal: AbortSignal.abort(), output: { spill } }),
  ViewOptions: (view) => run('true', { signal: AbortSignal.abort(), output: { view } }),
  PtyOptions: (pty) => run('true', { signal: AbortSignal.abort(), pty }),
  LimitOptions: (limits) => run('true', { signal: AbortSignal.abort(), limits }),
};

describe('the options', () => {
  it('that a type declares are taken', async () => {
    const refused: string[] = [];
    const declarations = new Declarations(['index.d.ts']);
    for (const [type, call] of Object.entries(CALLS)) {
      const names = declarations.properties('index.d.ts', type);
      expect(names.length, type).toBeGreaterThan(2);
      for (const name of names) {
        try {
          // The check of the names does not look at the values.
          await call({ [name]: undefined });
        } catch (error) {
          refused.push(`${type}: ${(error as Error).message}`);
        }
      }
    }
    expect(refused).toEqual([]);
  });
});
