import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';

const SERVER = fileURLToPath(new URL('./lying-server.mjs', import.meta.url));

/** Copies from a target that claims to have these entries, to `to` in a directory with `outside`. */
async function copyLies(entries: string[], prepare?: (directory: string) => void) {
  const target = new Target({ exec: ['node', SERVER, ...entries, '--'], connectTimeout: 10_000 });
  onTestFinished(() => target.dispose());
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'outside'));
  writeFileSync(join(directory, 'outside/file'), 'safe');
  mkdirSync(join(directory, 'to'));
  prepare?.(directory);
  const error = await target.copyFrom('/there', join(directory, 'to')).then(
    () => undefined,
    (failed) => failed,
  );
  await target.dispose();
  expect(readdirSync(directory).sort()).toEqual(['outside', 'to']);
  expect(readdirSync(join(directory, 'outside'))).toEqual(['file']);
  expect(readFileSync(join(directory, 'outside/file'), 'utf8')).toBe('safe');
  return { error, copied: readdirSync(join(directory, 'to')).sort() };
}

describe.skipIf(process.platform !== 'linux')('a copy from a target that lies', () => {
  it('has what it should have of honest entries', async () => {
    const { error, copied } = await copyLies(['file:a', 'link:b:/etc/passwd']);
    expect([error, copied]).toEqual([undefined, ['a', 'b']]);
  });

  it.each(['../outside/file', '..', '.', '', 'a/b', '/tmp/agent-bash-evil', 'x/../../outside/file'])(
    'writes nothing for the name %j',
    async (name) => {
      for (const kind of ['file', 'directory']) {
        const { error, copied } = await copyLies([`${kind}:${name}`]);
        expect(error?.code).toBe('PATH_OUTSIDE');
        expect(copied).toEqual([]);
      }
      expect(existsSync('/tmp/agent-bash-evil')).toBe(false);
    },
  );

  it('follows no link that it was sent before', async () => {
    const { error, copied } = await copyLies(['link:sub:../outside', 'directory:sub']);
    expect(error?.code).toBe('EEXIST');
    expect(copied).toEqual(['sub']);
    const file = await copyLies(['link:file:../outside/file', 'file:file']);
    expect([file.error, file.copied]).toEqual([undefined, ['file']]);
  });

  it('follows no link that is here', async () => {
    const prepare = (directory: string) => symlinkSync('../outside', join(directory, 'to/sub'));
    expect((await copyLies(['directory:sub'], prepare)).error?.code).toBe('EEXIST');
  });
});
