import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { askNode, INDEX } from '../support/node.js';

const IMPORT = `const { run } = await import(${JSON.stringify(INDEX)}); const fs = await import('node:fs');`;
const top = temporaryDirectory();
mkdirSync(join(top, 'root/inside'), { recursive: true });
mkdirSync(join(top, 'private/inside'), { recursive: true });

describe("Node's own directory", () => {
  it('counts as it is at the call', async () => {
    const places = await askNode(`${IMPORT}
      process.chdir(${JSON.stringify(top)});
      const runs = [run('/bin/pwd -P'), run('/bin/pwd -P', { root: 'root', cwd: 'inside' })];
      process.chdir('/');
      console.log(JSON.stringify((await Promise.all(runs)).map(({ cwd, stdout }) => [cwd, stdout])));
    `);
    expect(places).toEqual([
      [top, `${top}\n`],
      [join(top, 'root/inside'), `${join(top, 'root/inside')}\n`],
    ]);
  });

  it('that is gone stops only commands that would run in it', async () => {
    const outcomes = await askNode(`${IMPORT}
      const gone = ${JSON.stringify(join(top, 'gone'))};
      fs.mkdirSync(gone);
      process.chdir(gone);
      fs.rmdirSync(gone);
      const top = ${JSON.stringify(top)};
      const all = [{}, { cwd: 'inside' }, { root: 'root' }, { cwd: top }, { root: top, cwd: 'root' }];
      const results = await Promise.all(all.map((options) => run('/bin/pwd -P', options)));
      console.log(JSON.stringify(results.map(({ error, stdout }) => error?.code ?? stdout)));
    `);
    expect(outcomes).toEqual(['CWD_MISSING', 'CWD_MISSING', 'CWD_MISSING', `${top}\n`, `${top}/root\n`]);
  });
});

// The user is not root: root can access every directory.
it('A directory that may not be entered is not accessible', { tags: ['root'] }, async () => {
  const codes = await askNode(`${IMPORT}
    const top = ${JSON.stringify(top)};
    const locked = top + '/private';
    fs.chmodSync(top, 0o755);
    fs.chmodSync(locked, 0o700);
    await run('true');
    process.setgid(65534);
    process.setuid(65534);
    const all = [
      { cwd: locked }, { cwd: locked + '/inside' }, { root: locked }, { root: locked + '/inside' },
      { root: top, cwd: 'private' }, { cwd: top + '/root' },
    ];
    const results = await Promise.all(all.map((options) => run('true', options)));
    console.log(JSON.stringify(results.map(({ error, status }) => error?.code ?? status)));
  `);
  expect(codes).toEqual([
    'CWD_NOT_ACCESSIBLE',
    'CWD_NOT_ACCESSIBLE',
    // The directory exists; only a command in it would have to enter it.
    'CWD_NOT_ACCESSIBLE',
    'ROOT_NOT_ACCESSIBLE',
    'CWD_NOT_ACCESSIBLE',
    'exited',
  ]);
});
