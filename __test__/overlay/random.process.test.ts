import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { overlayOver, tree } from './support.js';

const OPERATIONS = fileURLToPath(new URL('operations.mjs', import.meta.url));

/** To search for longer: `OVERLAY_SEED=$RANDOM OVERLAY_STEPS=10000`. */
const SEED = Number(process.env.OVERLAY_SEED ?? 20_261_126);
const STEPS = Number(process.env.OVERLAY_STEPS ?? 3_000);
const ROUNDS = 10;

/** Returns the times and the inodes of everything below a directory. */
function identities(directory: string) {
  return Object.keys(tree(directory)).map((path) => {
    const { ino, mtimeMs, ctimeMs } = lstatSync(join(directory, path));
    return [path, ino, mtimeMs, ctimeMs];
  });
}

describe('random operations in an overlay', { tags: ['sandbox'] }, () => {
  it.each([
    ['commands', false],
    ['a session', true],
  ])(
    `of %s give the directory what they give a plain copy (seed ${SEED})`,
    async (_, hasSession) => {
      const files = {
        'keep/a': '1',
        'keep/d/b': '2',
        a: 'a',
        'b/a': 'ba',
        'b/c/d': 'bcd',
        '.git/objects/a': 'o',
      };
      const { root, overlay, at } = overlayOver(files);
      for (const path of ['.git/refs', '.git/logs', 'c']) mkdirSync(at(path));
      for (const path of ['keep/a', 'keep/d/b', 'keep/d', 'keep']) utimesSync(at(path), 1e9, 1e9);
      const copy = join(temporaryDirectory(), 'copy');
      cpSync(root, copy, { recursive: true, preserveTimestamps: true });
      const kept = identities(at('keep'));
      const sandbox = { level: 'workspace-write', git: 'all', visible: undefined } as const;
      const session = hasSession ? new ShellSession({ overlay, sandbox }) : undefined;
      for (let round = 0; round < ROUNDS; round++) {
        const words = [process.execPath, OPERATIONS, String(SEED + round), String(STEPS / ROUNDS)];
        execFileSync(words[0] as string, words.slice(1), { cwd: copy });
        const done =
          session === undefined
            ? await run(words, { overlay, sandbox })
            : await session.run(words.map((word) => `'${word}'`).join(' '));
        expect(done).toMatchObject({ exitCode: 0, stderr: '' });
        if (round % 3 === 0) await overlay.commit({ paths: [['a', 'b', '.git'][(round / 3) % 3] as string] });
        if (round === 7) await overlay.commit();
      }
      await overlay.commit();
      expect(tree(root)).toEqual(tree(copy));
      expect(await overlay.changes()).toEqual([]);
      expect(identities(at('keep'))).toEqual(kept);
      await session?.close();
    },
    120_000,
  );

  it('finds the changes of many files', async () => {
    const { root, overlay } = overlayOver({});
    for (let index = 0; index < 2_000; index++) writeFileSync(join(root, `f${index}`), `${index}`);
    await run('for f in f1*; do echo x >> $f; done; rm f2*', { overlay });
    expect(await overlay.changes()).toHaveLength(1_111 + 111);
  });
});
