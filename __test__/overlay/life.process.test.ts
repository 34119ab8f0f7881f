import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { overlayOver, tree } from './support.js';

const left = (pid: number | undefined) =>
  readdirSync('/var/tmp').filter((name) => name.startsWith(`agent-bash.${pid}.`));

/** The beginning of a command that runs as an ordinary user. */
const ORDINARY = 'setpriv --reuid 12345 --regid 12345 --clear-groups env HOME=/nonexistent'.split(' ');

/** Starts a Node.js that has an overlay, and waits until its program prints something. */
async function host(program: string, words: readonly string[] = []) {
  const source = `import { Jobs, Overlay, run, ShellSession } from ${JSON.stringify(INDEX)};\n${program}`;
  const [name, ...more] = [...words, process.execPath, '--input-type=module', '-e', source];
  const child = spawn(name as string, more, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await until(() => printed.includes('\n'), 'it prints');
  return { child, ended, printed: () => printed };
}

describe('the layer of an overlay', { tags: ['sandbox'] }, () => {
  it('goes with a host that is killed, and so do the commands', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'a'), '1');
    const own = tag();
    const { child, ended } = await host(`
      const overlay = new Overlay({ root: ${JSON.stringify(root)} });
      const session = new ShellSession({ overlay });
      await session.run('echo 2 > a; (setsid sleep ${own} &) > /dev/null 2>&1');
      new Jobs().start('echo 3 > b; sleep ${own}', { overlay });
      while ((await overlay.changes()).length < 2);
      console.log('up');
    `);
    expect(left(child.pid)).not.toEqual([]);
    child.kill('SIGKILL');
    await ended;
    await until(() => living(own).length === 0 && left(child.pid).length === 0, 'nothing is left');
    expect(tree(root)).toEqual({ a: '644 1' });
  });

  it('stays in a directory of the caller when the host is killed, and can be committed then', async () => {
    const { root, overlay } = overlayOver({ a: '1' }, { directory: join(temporaryDirectory(), 'layer') });
    const directory = join(temporaryDirectory(), 'other');
    const own = tag();
    const { child, ended } = await host(`
      const overlay = new Overlay({ root: ${JSON.stringify(root)}, directory: ${JSON.stringify(directory)} });
      await run('echo 2 > a; rm -f gone; echo 3 > b', { overlay });
      new Jobs().start('echo 4 > c; sleep ${own}', { overlay });
      while ((await overlay.changes()).length < 3);
      console.log('up');
    `);
    child.kill('SIGKILL');
    await ended;
    await overlay.discard();
    const { Overlay } = await import('../../index.js');
    const later = new Overlay({ root, directory });
    expect((await later.changes()).map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    // The sandbox of the killed host ends within moments.
    expect((await run('cat a b c', { overlay: later })).stdout).toBe('2\n3\n4\n');
    writeFileSync(join(root, 'b'), 'host');
    expect(await later.conflicts()).toEqual([{ path: 'b', reason: 'created' }]);
    await later.commit({ onConflict: 'overwrite' });
    expect(tree(root)).toEqual({ a: '644 2\n', b: '644 3\n', c: '644 4\n' });
    expect(existsSync(directory)).toBe(false);
  });

  it('closes directories again that a killed commit has left open', { tags: ['root'] }, async () => {
    const place = temporaryDirectory();
    const [root, directory] = [join(place, 'work'), join(place, 'layer')];
    mkdirSync(join(root, 'd'), { recursive: true });
    for (const path of [place, root, join(root, 'd')]) chownSync(path, 12_345, 12_345);
    chmodSync(join(root, 'd'), 0o555);
    const mode = () => (statSync(join(root, 'd')).mode & 0o7777).toString(8);
    const made = `new Overlay({ root: ${JSON.stringify(root)}, directory: ${JSON.stringify(directory)} })`;
    const command = 'chmod u+w d; head -c 200000000 /dev/zero | tr "\\0" x > d/large; chmod u-w d';
    const killed = await host(
      `const overlay = ${made};
      console.log((await run(${JSON.stringify(command)}, { overlay })).stderr);
      await overlay.commit();`,
      ORDINARY,
    );
    while (mode() !== '755') await new Promise(setImmediate);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect([killed.printed(), mode(), readdirSync(join(root, 'd'))]).toEqual(['\n', '755', []]);
    const later = await host(`await ${made}.commit(); console.log('done')`, ORDINARY);
    await later.ended;
    expect([mode(), readdirSync(join(root, 'd'))]).toEqual(['555', ['large']]);
  });

  it('does not open a directory whose set-gid bit the user could not give back', {
    tags: ['root'],
  }, async () => {
    const place = temporaryDirectory();
    const [root, directory] = [join(place, 'work'), join(place, 'layer')];
    mkdirSync(join(root, 'd'), { recursive: true });
    for (const path of [place, root, join(root, 'd')]) chownSync(path, 12_345, 12_345);
    const made = `const overlay = new Overlay({ root: ${JSON.stringify(root)}, directory: ${JSON.stringify(directory)} });`;
    const first = await host(
      `${made} console.log((await run('echo 1 > d/f', { overlay })).stderr);`,
      ORDINARY,
    );
    await first.ended;
    chownSync(join(root, 'd'), 12_345, 4_242);
    chmodSync(join(root, 'd'), 0o2555);
    const { ended, printed } = await host(
      `${made} const error = await overlay.commit({ paths: ['d/f'] }).catch((error) => error);
      console.log(error.code, error.message.slice(0, 13));`,
      ORDINARY,
    );
    await ended;
    expect([first.printed(), printed()]).toEqual(['\n', "OVERLAY_FAILED 'd/f': EACCES\n"]);
    expect(statSync(join(root, 'd')).mode & 0o7777).toBe(0o2555);
  });

  it('works for an ordinary user', { tags: ['root'] }, async () => {
    const place = temporaryDirectory();
    const root = join(place, 'work');
    mkdirSync(root);
    writeFileSync(join(root, 'a'), '1');
    for (const path of [place, root, join(root, 'a')]) chownSync(path, 12_345, 12_345);
    const { ended, printed, child } = await host(
      `
      const overlay = new Overlay({ root: ${JSON.stringify(root)} });
      const first = await run('echo 2 > a; mkdir -p d/e; echo 3 > d/e/b; rm -rf d/e; ln -s x link; mkfifo p', { overlay });
      const { stdout } = await run('cat a; ls', { overlay, sandbox: 'isolated' });
      const seen = (await overlay.changes()).map(({ type, path }) => type + ' ' + path);
      await overlay.commit();
      await run('echo > dropped', { overlay });
      await overlay.discard();
      console.log(JSON.stringify([first.error, first.stderr, stdout, seen]));
      `,
      ORDINARY,
    );
    await ended;
    const expected = ['created d', 'created link', 'created p', 'modified a'];
    const [error, stderr, stdout, seen] = JSON.parse(printed());
    expect([error, stderr, stdout, seen.sort()]).toEqual([null, '', '2\na\nd\nlink\np\n', expected]);
    expect(Object.keys(tree(root))).toEqual(['a', 'd', 'link', 'p']);
    await until(() => left(child.pid).length === 0, 'nothing is left');
  });

  it('is needed: without namespaces, nothing runs', async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'inner'));
    const program = `
      const { Overlay, run } = require(${JSON.stringify(INDEX)});
      const overlay = new Overlay({ root: 'inner' });
      const sandbox = { level: 'workspace-write', onUnavailable: 'weaker' };
      Promise.all([run('echo > file', { overlay }), run('echo > file', { overlay, sandbox })])
        .then((results) => console.log(JSON.stringify(results.map(({ status, error }) => [status, error.code]))));
    `;
    const { stdout, stderr } = await run([process.execPath, '-e', program], {
      root,
      sandbox: 'workspace-write',
    });
    expect(stderr).toBe('');
    const unavailable = ['failed', 'SANDBOX_UNAVAILABLE'];
    expect(JSON.parse(stdout)).toEqual([unavailable, unavailable]);
    expect(readdirSync(join(root, 'inner'))).toEqual([]);
  });
});

describe('agent-bash run --overlay', { tags: ['sandbox'] }, () => {
  const bin = join(import.meta.dirname, '../../entry/cli.js');

  it('shows what would change, and applies it with --yes alone', () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'a'), '1\n');
    const command = ['--', 'echo out; echo 2 > a; mkdir d'];
    const shown = spawnSync(process.execPath, [bin, 'run', '--overlay', ...command], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([shown.status, shown.stdout]).toEqual([0, 'out\n']);
    expect(shown.stderr).toContain(
      '-1\n+2\n# created: d (directory)\nNothing was applied: there is no terminal',
    );
    expect(tree(root)).toEqual({ a: '644 1\n' });
    const words = ['run', '--overlay', '--yes', '--root', root, ...command];
    expect(spawnSync(process.execPath, [bin, ...words], { encoding: 'utf8' }).status).toBe(0);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('2\n');
    expect(existsSync(join(root, 'd'))).toBe(true);
  });

  it.each([
    ['an exit code', 'echo 2 > a; exit 3', 3, 'exited with 3'],
    ['a signal', 'echo 2 > a; kill -9 $$', 137, "the status 'signaled'"],
    ['a timeout', 'echo 2 > a; sleep 100', 124, "the status 'timeout'"],
  ])('applies nothing of a command that has failed by %s, with --yes too', (_, command, code, why) => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'a'), '1\n');
    const words = [bin, 'run', '--overlay', '--yes', '--timeout', '2s', '--root', root];
    const { status, stderr } = spawnSync(process.execPath, [...words, '--', command], { encoding: 'utf8' });
    expect([status, tree(root)]).toEqual([code, { a: '644 1\n' }]);
    expect(stderr).toContain('+2\n');
    expect(stderr).toContain(`Nothing was applied: the command`);
    expect(stderr).toContain(why);
    const json = spawnSync(process.execPath, [...words, '--json', '--', command], { encoding: 'utf8' });
    expect(JSON.parse(json.stdout)).toMatchObject({ applied: false, changes: [{ path: 'a' }] });
    expect(tree(root)).toEqual({ a: '644 1\n' });
  });

  it('says what has kept it from applying the changes', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'a'), '1\n');
    const { Jobs } = await import('../../index.js');
    await using table = new Jobs();
    const words = [bin, 'run', '--overlay', '--', 'echo 2 > a'];
    const job = table.start([process.execPath, ...words], { cwd: root, pty: { cols: 200 } });
    await job.ready({ pattern: 'Apply these changes' });
    writeFileSync(join(root, 'a'), 'mine\n');
    job.write('y\r');
    const { exitCode, output } = await job.result;
    expect(output).toMatch(/^agent-bash: .*changed in the workspace meanwhile: a/m);
    expect([exitCode, readFileSync(join(root, 'a'), 'utf8')]).toEqual([1, 'mine\n']);
  });

  it('asks at a terminal', async () => {
    const root = temporaryDirectory();
    const { Jobs } = await import('../../index.js');
    await using table = new Jobs();
    for (const [answer, files] of [
      ['n', []],
      ['y', ['a']],
    ] as const) {
      const job = table.start([process.execPath, bin, 'run', '--overlay', '--', 'echo 1 > a; exit 3'], {
        cwd: root,
        pty: true,
      });
      await job.ready({ pattern: 'Apply these changes' });
      job.write(`${answer}\r`);
      expect((await job.result).exitCode).toBe(3);
      expect(readdirSync(root)).toEqual(files);
    }
  });

  it('gives the changes with --json', () => {
    const root = temporaryDirectory();
    const words = [bin, 'run', '--overlay', '--json', '--root', root, '--', 'echo 1 > a'];
    const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: 0,
      applied: false,
      changes: [{ path: 'a', type: 'created' }],
    });
    expect(readdirSync(root)).toEqual([]);
  });
});
