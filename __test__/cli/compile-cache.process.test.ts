import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { BIN } from './support.js';

const INDEX = join(BIN, '../../index.js');

/** Runs Node.js with this home, and returns whether the cache of our command line is there. */
function compiles(home: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  const { PATH = '' } = process.env;
  execFileSync(process.execPath, args, { env: { PATH, HOME: home, ...env }, stdio: 'ignore' });
  const cache = join(home, '.cache/agent-bash/compiled');
  return existsSync(cache) && readdirSync(cache).length > 0;
}

describe.skipIf(!('enableCompileCache' in nodeModule))('the compile cache of V8', () => {
  it("is in the user's cache directory for the command line", () => {
    expect(compiles(temporaryDirectory(), [BIN, '--version'])).toBe(true);
  });

  it('is where the user wants it', () => {
    const [home, other] = [temporaryDirectory(), temporaryDirectory()];
    expect(compiles(home, [BIN, '--version'], { NODE_COMPILE_CACHE: other })).toBe(false);
    expect(readdirSync(other)).not.toEqual([]);
  });

  it('is not turned on by the package', () => {
    expect(compiles(temporaryDirectory(), ['-e', `require(${JSON.stringify(INDEX)})`])).toBe(false);
  });
});

it('starts where the cache directory can not be made', () => {
  const env = { PATH: process.env.PATH ?? '', HOME: '/dev/null' };
  const version = execFileSync(process.execPath, [BIN, '--version'], { env, encoding: 'utf8' });
  expect(version).toMatch(/^\d+\.\d+/);
});
