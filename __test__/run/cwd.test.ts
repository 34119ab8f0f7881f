import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bash, type RunOptions, type RunResult, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const top = temporaryDirectory();
const root = join(top, 'root');
const outside = join(top, 'outside');
const neighbour = join(top, 'root-2');
mkdirSync(join(root, 'inside/deep'), { recursive: true });
mkdirSync(join(root, 'ünïcode with $pace\n'));
mkdirSync(outside);
mkdirSync(neighbour);
writeFileSync(join(root, 'file'), '');
symlinkSync('inside/deep', join(root, 'to-inside'));
symlinkSync('../outside', join(root, 'to-outside'));
symlinkSync('../root-2', join(root, 'to-neighbour'));
symlinkSync('.', join(root, 'to-root'));
symlinkSync('/', join(root, 'to-slash'));
symlinkSync('nowhere', join(root, 'to-nowhere'));
symlinkSync('circle', join(root, 'circle'));
symlinkSync('../root/inside', join(outside, 'back'));
symlinkSync('root', join(top, 'link-to-root'));

const PWD = ['/bin/pwd', '-P'];

async function place(options: RunOptions): Promise<string> {
  const { cwd, stdout } = await run(PWD, options);
  expect(stdout).toBe(`${cwd}\n`);
  return cwd;
}

function refused({ status, exitCode, signal, pid, stdout, stderr, output, usage, error }: RunResult): string {
  expect({ status, exitCode, signal, pid, stdout, stderr, output, usage }).toEqual({
    status: 'failed',
    exitCode: null,
    signal: null,
    pid: null,
    stdout: '',
    stderr: '',
    output: '',
    usage: null,
  });
  return error?.code ?? '';
}

describe('cwd', () => {
  it("is Node's own directory by default", async () => {
    expect(await place({})).toBe(process.cwd());
  });

  it.each([
    ['a relative path', relative(process.cwd(), outside), outside],
    ['an empty path', '', process.cwd()],
    ['an absolute path', outside, outside],
    ['a file: URL', pathToFileURL(outside), outside],
    ['a path with a slash at the end', `${outside}/`, outside],
    ['a path with ..', `${outside}/../root/inside`, join(root, 'inside')],
  ])('may be %s', async (_, cwd, expected) => {
    expect(await place({ cwd })).toBe(expected);
  });

  it('goes from a link to the parent of what the link leads to, as the kernel does', async () => {
    const parent = join(root, 'inside');
    expect({
      absolute: await place({ cwd: `${root}/to-inside/..` }),
      relative: await place({ cwd: `${relative(process.cwd(), root)}/to-inside/..` }),
      inRoot: await place({ root, cwd: 'to-inside/..' }),
      root: await place({ root: `${root}/to-inside/..` }),
      bash: await bash({ command: 'pwd -P' }, `${relative(process.cwd(), root)}/to-inside/..`),
      node: execFileSync('/bin/pwd', ['-P'], { cwd: `${root}/to-inside/..`, encoding: 'utf8' }),
    }).toEqual({
      absolute: parent,
      relative: parent,
      inRoot: parent,
      root: parent,
      bash: `${parent}\n\n[Exit code: 0]`,
      node: `${parent}\n`,
    });
  });

  it('may not leave its root by the parent of what a link leads to', async () => {
    expect(refused(await run(PWD, { root, cwd: 'to-outside/..' }))).toBe('CWD_OUTSIDE');
  });

  it('may have characters that a shell and a URL treat specially', async () => {
    const cwd = join(root, 'ünïcode with $pace\n');
    expect((await run('echo here', { cwd: pathToFileURL(cwd) })).cwd).toBe(cwd);
    expect((await run('echo here', { cwd })).cwd).toBe(cwd);
  });

  it('is reported by its real path', async () => {
    expect(await place({ cwd: join(root, 'to-inside') })).toBe(join(root, 'inside/deep'));
  });

  it.each([
    ['is missing', 'nowhere', 'CWD_MISSING'],
    ['is a link to nowhere', 'to-nowhere', 'CWD_MISSING'],
    ['is a file', 'file', 'CWD_NOT_DIRECTORY'],
    ['is below a file', 'file/deeper', 'CWD_NOT_DIRECTORY'],
    ['is a link to itself', 'circle', 'CWD_NOT_ACCESSIBLE'],
    ['is below a link to itself', 'circle/deeper', 'CWD_NOT_ACCESSIBLE'],
    ['has a name that is too long', 'x'.repeat(300), 'CWD_NOT_ACCESSIBLE'],
  ])('that %s is refused', async (_, path, code) => {
    for (const options of [{ cwd: join(root, path) }, { cwd: path, root }]) {
      const result = await run('echo never', options);
      expect(refused(result)).toBe(code);
      expect(result.cwd).toBe(join(root, path));
      expect(result.error?.message).toContain(join(root, path));
    }
  });

  it('that is removed while the command runs is still reported, with all of the output', async () => {
    const cwd = join(top, 'short-lived');
    mkdirSync(cwd);
    const result = await run(`echo early; rmdir "$PWD"; echo late`, { cwd });
    expect({ status: result.status, stdout: result.stdout, cwd: result.cwd }).toEqual({
      status: 'exited',
      stdout: 'early\nlate\n',
      cwd,
    });
  });

  it('is reported as it was when the command began, also when that moves it', async () => {
    for (let i = 0; i < 20; i++) {
      const before = join(top, `moving-${i}`);
      mkdirSync(before);
      const { cwd, exitCode } = await run(['/bin/mv', before, `${before}-moved`], { cwd: before });
      expect({ cwd, exitCode }).toEqual({ cwd: before, exitCode: 0 });
    }
  });

  it('is where a program with a relative path is looked for', async () => {
    writeFileSync(join(outside, 'here.sh'), '#!/bin/sh\necho "found $1"\n', { mode: 0o755 });
    const array = await run(['./here.sh', 'as a program'], { cwd: outside });
    const shell = await run('as a shell', { cwd: outside, shell: ['./here.sh', 'with'] });
    expect([array.stdout, shell.stdout]).toEqual(['found as a program\n', 'found with\n']);
  });
});

describe('root', () => {
  it.each([
    ['itself', undefined, root],
    ['itself as .', '.', root],
    ['itself as an empty path', '', root],
    ['a directory in it', 'inside', join(root, 'inside')],
    ['a directory in it by an absolute path', join(root, 'inside/deep'), join(root, 'inside/deep')],
    ['a directory in it by a URL', pathToFileURL(join(root, 'inside')), join(root, 'inside')],
    ['.. that stays in it', 'inside/deep/../..', root],
    ['.. that leaves it and comes back', `../${basename(root)}/inside`, join(root, 'inside')],
    ['a link to a directory in it', 'to-inside', join(root, 'inside/deep')],
    ['a link to itself', 'to-root', root],
    ['links behind each other', 'to-root/to-root/to-inside/..', join(root, 'inside')],
    ['a link from the outside back into it', '../outside/back', join(root, 'inside')],
    ['itself through a link to everything', `to-slash${root}`, root],
  ])('allows %s', async (_, cwd, expected) => {
    expect(await place({ cwd, root })).toBe(expected);
  });

  it.each([
    ['its parent', '..'],
    ['/', '/'],
    ['.. out of a directory in it', 'inside/../..'],
    ['another directory by an absolute path', outside],
    ['another directory by a URL', pathToFileURL(outside)],
    ['a link out of it', 'to-outside'],
    ['a link out of it to a neighbour', 'to-neighbour'],
    ['a link to everything', 'to-slash'],
    ['a path through a link out of it', `to-slash${outside}`],
    ['a neighbour with the same beginning', '../root-2'],
    ['a neighbour with the same beginning, absolute', neighbour],
    ['many ..', '../'.repeat(200)],
  ])('refuses %s', async (_, cwd) => {
    const result = await run('echo never', { cwd, root });
    expect(refused(result)).toBe('CWD_OUTSIDE');
  });

  it("is relative to Node's own directory", async () => {
    expect(await place({ root: relative(process.cwd(), root), cwd: 'inside' })).toBe(join(root, 'inside'));
  });

  it('may be a URL', async () => {
    expect(await place({ root: pathToFileURL(root), cwd: 'inside' })).toBe(join(root, 'inside'));
  });

  it('may have a slash at its end', async () => {
    expect(await place({ root: `${root}/`, cwd: 'inside' })).toBe(join(root, 'inside'));
    expect(refused(await run('true', { root: `${root}/`, cwd: neighbour }))).toBe('CWD_OUTSIDE');
  });

  it('may be a link to a directory', async () => {
    const link = join(top, 'link-to-root');
    expect(await place({ root: link })).toBe(root);
    expect(await place({ root: link, cwd: join(root, 'inside') })).toBe(join(root, 'inside'));
    expect(await place({ root, cwd: join(link, 'inside') })).toBe(join(root, 'inside'));
    expect(refused(await run('true', { root: link, cwd: '..' }))).toBe('CWD_OUTSIDE');
  });

  it('may be /', async () => {
    expect(await place({ root: '/', cwd: outside })).toBe(outside);
    expect(await place({ root: '/' })).toBe('/');
  });

  it.each([
    ['is missing', 'nowhere', 'ROOT_MISSING'],
    ['is a file', 'root/file', 'ROOT_NOT_DIRECTORY'],
    ['is below a file', 'root/file/deeper', 'ROOT_NOT_DIRECTORY'],
    ['is a link to itself', 'root/circle', 'ROOT_NOT_ACCESSIBLE'],
  ])('that %s is refused', async (_, path, code) => {
    const result = await run('echo never', { root: join(top, path), cwd: outside });
    expect(refused(result)).toBe(code);
    expect(result.error?.message).toContain(join(top, path));
  });

  it('holds for the directory that a program is started in, not for what it does', async () => {
    const { stdout } = await run('cd .. && /bin/pwd -P', { root });
    expect(stdout).toBe(`${top}\n`);
  });
});
