import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TestShell } from 'agent-bash/testing';
import { matchers, withShell } from 'agent-bash/testing';
import { beforeEach, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

const directory = temporaryDirectory();
let next = 0;
let file = '';
let project = '';

beforeEach(() => {
  file = join(directory, `${++next}.json`);
  project = join(directory, `project-${next}`);
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/a.js'), 'one\nvar a\nthree\n');
  writeFileSync(join(project, 'old'), 'old\n');
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, '.git/config'), '[core]\n');
});

const COMMAND = [
  "sed -i 's/var/let/' src/a.js",
  'mkdir -p lib/deep && printf "no end" >lib/deep/new',
  "printf '\\000\\001' >binary",
  'printf "#!/bin/sh\\n" >tool && chmod +x tool',
  'rm old',
].join('\n');

async function change(shell: TestShell): Promise<string[]> {
  await run(COMMAND, { cwd: shell.root });
  const read = (name: string) => readFileSync(join(shell.root, name), 'latin1');
  expect(existsSync(join(shell.root, 'old'))).toBe(false);
  expect(statSync(join(shell.root, 'tool')).mode & 0o111).not.toBe(0);
  expect(matchers.toHaveTouched(shell, ['binary', 'lib/deep/new', 'old', 'src/a.js', 'tool']).pass).toBe(
    true,
  );
  expect(matchers.toHaveTouched(shell, ['src/a.js']).pass).toBe(false);
  return ['src/a.js', 'lib/deep/new', 'binary', 'tool'].map(read);
}

const withFiles = (mode: 'record' | 'replay', act: (shell: TestShell) => Promise<unknown>) =>
  withShell('repairs the code', { file, mode, project, files: true }, act);

/** Puts other files into the cassette, and replays the test. */
async function replayedWith(files: unknown[]): Promise<string> {
  await withFiles('record', (shell) => run('true', { cwd: shell.root }));
  const cassette = JSON.parse(readFileSync(file, 'utf8'));
  cassette.tests['repairs the code'][0].files = files;
  writeFileSync(file, JSON.stringify(cassette));
  try {
    await withFiles('replay', (shell) => run('true', { cwd: shell.root }));
    return 'no failure';
  } catch (error) {
    return (error as Error).message;
  }
}

it('a replay changes the files that the command has changed', async () => {
  const recorded = await withFiles('record', change);
  expect(readFileSync(file, 'utf8')).toContain(
    ['"--- a/src/a.js",', '"+++ b/src/a.js",', '"@@ -2 +2 @@",', '"-var a",', '"+let a"'].join('\n        '),
  );
  expect(await withFiles('replay', change)).toEqual(recorded);
  expect(readFileSync(join(project, 'src/a.js'), 'utf8')).toContain('var a');
});

it('a project that is not what the recording changed fails the test', async () => {
  await withFiles('record', (shell) => run("sed -i 's/var/let/' src/a.js", { cwd: shell.root }));
  writeFileSync(join(project, 'src/a.js'), 'one\nconst a\nthree\n');
  const replayed = withFiles('replay', (shell) => run("sed -i 's/var/let/' src/a.js", { cwd: shell.root }));
  await expect(replayed).rejects.toThrow(
    [
      'CASSETTE_FILES in "repairs the code": src/a.js:2 is not what the recording changed',
      '    - var a',
      '    + const a',
      `  Restore ${project}, or record again.`,
    ].join('\n'),
  );
});

it('a fake changes files by a patch', async () => {
  await withShell('x', { mode: 'fakes', project, files: true }, async (shell) => {
    const patch = '--- a/src/a.js\n+++ b/src/a.js\n@@ -1,3 +1,3 @@\n one\n-var a\n+let a\n three\n';
    shell.fake('npx fix', { files: patch });
    await run('npx fix', { cwd: shell.root });
    expect(readFileSync(join(shell.root, 'src/a.js'), 'utf8')).toBe('one\nlet a\nthree\n');
  });
});

it.each([
  '../outside',
  '/etc/outside',
  'src/../../outside',
  '.git/config',
  'sub/.GIT/hooks/x',
  'a\\..\\..\\outside',
  'C:\\outside',
  'a\0b',
  '',
])('a cassette can not change %j', async (path) => {
  expect(await replayedWith([{ path, base64: 'eA==' }])).toContain('CASSETTE_INVALID: a recording changes');
  expect(await replayedWith(['--- /dev/null', `+++ b/${path}`, '@@ -0,0 +1 @@', '+x'])).toContain(
    'CASSETTE_',
  );
  expect(existsSync(join(directory, 'outside'))).toBe(false);
});

it('a cassette can not change what is behind a link', async () => {
  const outside = join(directory, `outside-${next}`);
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'safe');
  symlinkSync(outside, join(project, 'link'));
  symlinkSync(join(outside, 'file'), join(project, 'direct'));
  for (const path of ['link/file', 'link/new', 'direct']) {
    expect(await replayedWith([{ path, base64: 'eA==' }])).toContain('CASSETTE_INVALID');
  }
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('safe');
  expect(existsSync(join(outside, 'new'))).toBe(false);
});

it('a secret of several lines in a file is replaced', async () => {
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIIabc', 'def', '-----END PRIVATE KEY-----'];
  await withFiles('record', (shell) =>
    run('cat >key', { cwd: shell.root, input: `first\n${key.join('\n')}\nlast\n` }),
  );
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('MIIabc');
  expect(text).toContain('"+<secret:token>"');
});

it('the option files needs a project', async () => {
  const act = withShell('x', { mode: 'fakes', files: true }, async () => {});
  await expect(act).rejects.toThrow("Invalid option 'options.project'");
  chmodSync(project, 0o755);
});

it('what the test itself changes between commands is not recorded, and changes again in a replay', async () => {
  const act = async (shell: TestShell) => {
    const edited = join(shell.root, 'edited');
    writeFileSync(edited, 'by an edit tool\n');
    await run('echo "by a command" >>edited; echo 1 >made', { cwd: shell.root });
    writeFileSync(join(shell.root, 'old'), 'again\n');
    const { stdout } = await run('cat edited', { cwd: shell.root });
    expect(matchers.toHaveTouched(shell, ['edited', 'made']).pass).toBe(true);
    return [stdout, readFileSync(edited, 'utf8')];
  };
  const recorded = await withFiles('record', act);
  expect(recorded).toEqual(['by an edit tool\nby a command\n', 'by an edit tool\nby a command\n']);
  expect(await withFiles('replay', act)).toEqual(recorded);
});
