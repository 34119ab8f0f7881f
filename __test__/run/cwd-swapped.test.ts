import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

it('A link that is swapped all the time leads no command out of the root', async () => {
  const top = temporaryDirectory();
  const root = join(top, 'root');
  mkdirSync(join(root, 'inside'), { recursive: true });
  mkdirSync(join(top, 'outside'));
  const link = join(root, 'link');
  const point = (target: string) => {
    symlinkSync(target, `${link}.new`);
    renameSync(`${link}.new`, link);
  };
  point('inside');

  let isOver = false;
  const swapper = run(
    'while [ ! -e stop ]; do ln -s ../outside a; mv -fT a link; ln -s inside b; mv -fT b link; done',
    { cwd: root, shell: '/bin/sh', timeout: 30_000 },
  );
  const seen = { inside: 0, refused: 0 };
  const deadline = performance.now() + 10_000;
  while (!isOver) {
    const results = await Promise.all(
      Array.from({ length: 25 }, () => run(['/bin/pwd', '-P'], { cwd: 'link', root })),
    );
    for (const { status, stdout, cwd, error } of results) {
      if (status === 'exited') {
        expect({ stdout, cwd }).toEqual({ stdout: `${root}/inside\n`, cwd: join(root, 'inside') });
        seen.inside++;
      } else {
        expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'CWD_OUTSIDE' });
        seen.refused++;
      }
    }
    const total = seen.inside + seen.refused;
    isOver = (total >= 300 && seen.inside > 0 && seen.refused > 0) || performance.now() > deadline;
  }
  await run(['touch', 'stop'], { cwd: root });
  expect((await swapper).status).toBe('exited');
  expect(seen.inside).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
});
