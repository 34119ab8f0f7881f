import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Jobs, keys, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { Place } from '../target/broken/place.js';
import { importBusybox, PODMAN, podman } from '../target/podman.js';
import { Sshd } from '../target/sshd.js';
import { BIN, CommandLine, commandLine } from './support.js';

const DELAY = new URL('../../bench/lib/delay.mjs', import.meta.url).pathname;

/** The size of the source: longer than a copy takes to be noticed over a slow network (bytes). */
const SIZE = 100_000_000;

/** A source, and a target over a slow network, which can't be reached while there is a file `gone`. */
function newPlace() {
  const place = new Place('sh');
  const gone = join(place.home, 'gone');
  const transport = place.transport(
    `[ ! -e '${gone}' ] || exit 1; exec '${process.execPath}' '${DELAY}' 25 "$there" "$@"`,
  );
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'to'));
  const source = join(directory, 'from');
  execFileSync('sh', ['-c', `yes agent-bash | head -c ${SIZE} >"$0"`, source]);
  const to = join(directory, 'to');
  const words = ['copy', '--target', `exec:${transport}`, source, `:${to}/`];
  const expectCopy = () => {
    expect(readdirSync(to)).toEqual(['from']);
    expect(readFileSync(join(to, 'from')).equals(readFileSync(source))).toBe(true);
  };
  return { place, gone, to, words, expectCopy };
}

/** Resolves with the path of the partial copy, once it has a part of the source. */
function partialIn(directory: string): Promise<string> {
  return until(() => {
    const name = readdirSync(directory).find((name) => name.startsWith('.agent-bash-partial-'));
    const path = join(directory, name ?? 'none');
    return name !== undefined && statSync(path).size > 5_000_000 ? path : '';
  }, 'a part is there');
}

function killAll(place: Place): void {
  for (const pid of place.processes()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended with another one.
    }
  }
}

describe.skipIf(process.platform !== 'linux')('agent-bash copy', { timeout: 120_000 }, () => {
  it('goes on by itself over another connection', async () => {
    const { place, to, words, expectCopy } = newPlace();
    const line = new CommandLine([...words, '--json']);
    await partialIn(to);
    killAll(place);
    const { code, stdout } = await line.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).resumedBytes).toBeGreaterThan(5_000_000);
    expectCopy();
  });

  it('exits with 1 where the target is lost for good, and goes on with the same command later', async () => {
    const { place, gone, to, words, expectCopy } = newPlace();
    const line = new CommandLine(words);
    const partial = await partialIn(to);
    writeFileSync(gone, '');
    killAll(place);
    const { code, stderr } = await line.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^agent-bash: /);
    expect(stderr).toContain(`A part is left at ${partial}: the same command goes on with it.\n`);
    execFileSync('rm', [gone]);
    const again = await commandLine([...words, '--json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).resumedBytes).toBeGreaterThan(5_000_000);
    expectCopy();
  });

  it('goes on where an earlier one was killed', async () => {
    const { to, words, expectCopy } = newPlace();
    const line = new CommandLine(words);
    await partialIn(to);
    line.process.kill('SIGKILL');
    await line.ended;
    const again = await commandLine([...words, '--json']);
    expect(JSON.parse(again.stdout).resumedBytes).toBeGreaterThan(1_000_000);
    expectCopy();
  });

  it('leaves nothing after Ctrl-C, and exits with 130', async () => {
    const { place, to, words } = newPlace();
    const line = new CommandLine(words);
    await partialIn(to);
    line.process.kill('SIGINT');
    expect(await line.ended).toMatchObject({ code: 130, stdout: '', stderr: '' });
    expect(readdirSync(to)).toEqual([]);
    await until(() => place.processes().length === 0, 'no process is left');
  });

  it('shows its progress in one line of a terminal, and then what was copied', async () => {
    const { words, expectCopy } = newPlace();
    const { stdout, exitCode } = await run([process.execPath, BIN, ...words], { pty: true });
    expect(exitCode).toBe(0);
    const lines = stdout.split('\r\x1b[K');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.shift()).toBe('');
    expect(lines.pop()).toMatch(/^1 file, 95\.4 MiB in \d+\.\d s\r?\n$/);
    const parts = lines
      .filter((line) => line !== '')
      .map((line) => {
        const [, part] =
          /^(?:0 files|1 file), [\d.]+ (?:B|KiB|MiB) of 95\.4 MiB \((\d+) %\)$/.exec(line) ?? [];
        return Number(part);
      });
    expect(parts).toEqual(parts.toSorted((one, other) => one - other));
    expect(parts.every((part) => part >= 0 && part <= 100)).toBe(true);
    expectCopy();
  });

  it('clears its line of a terminal after Ctrl-C', async () => {
    const { to, words } = newPlace();
    await using jobs = new Jobs();
    const job = jobs.start([process.execPath, BIN, ...words], { pty: true });
    await partialIn(to);
    await until(async () => (await job.screen()).text.includes(' of 95.4 MiB'), 'the progress is shown');
    job.write(keys('ctrl-c'));
    expect((await job.result).exitCode).toBe(130);
    expect((await job.screen()).text.trim()).toBe('');
    expect(readdirSync(to)).toEqual([]);
  });

  it('shows nothing in a terminal with --quiet', async () => {
    const { place, words } = newPlace();
    const line = [process.execPath, BIN, ...words, '--quiet'];
    const { stdout, exitCode } = await run(line, { pty: true });
    expect([stdout, exitCode]).toEqual(['', 0]);
    expect(existsSync(place.home)).toBe(true);
  });

  it('exits with 1 for a target that can not be reached, and 2 for one that is misspelled', async () => {
    const missing = await commandLine(['copy', '--target', 'exec:/nowhere/transport', '/etc/passwd', ':x']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^agent-bash: '\/nowhere\/transport' can't be started: ENOENT/);
    expect((await commandLine(['copy', '--target', 'shh:box', 'a', ':b'])).code).toBe(2);
  });
});

describe('agent-bash copy over ssh', { tags: ['sshd'], timeout: 120_000 }, () => {
  const sshd = new Sshd();

  it('copies both ways, and goes on when ssh is killed', async () => {
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    // The configuration of the user can't be another one, so a program before ssh names it.
    const config = sshd.config('copy');
    mkdirSync(at('bin'));
    const program = `#!/bin/sh\nexec /usr/bin/ssh -F '${config}' "$@"\n`;
    writeFileSync(at('bin/ssh'), program, { mode: 0o755 });
    const env = { PATH: `${at('bin')}:${process.env.PATH}` };
    mkdirSync(at('to'));
    execFileSync('sh', ['-c', `yes agent-bash | head -c ${SIZE} >"$0"`, at('from')]);
    const copy = [process.execPath, BIN, 'copy', '--json', '--target', 'ssh:box'];
    const copying = run([...copy, at('from'), `:${at('to')}/`], { env });
    await partialIn(at('to'));
    for (const pid of living(config)) process.kill(pid, 'SIGKILL');
    const { exitCode, stdout } = await copying;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).resumedBytes).toBeGreaterThan(5_000_000);
    const back = await run([...copy, `:${at('to/from')}`, at('back')], { env });
    expect(JSON.parse(back.stdout)).toMatchObject({ files: 1, bytes: SIZE, resumedBytes: 0 });
    expect(readFileSync(at('back')).equals(readFileSync(at('from')))).toBe(true);
    const { exitCode: code, stderr } = await run([...copy, at('none'), ':x'], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
  });
});

describe('agent-bash copy and a container', { tags: ['podman'], timeout: 120_000 }, () => {
  const image = `localhost/agent-bash-copy-${process.pid}:1`;
  const name = `agent-bash-copy-${process.pid}`;
  beforeAll(() => {
    importBusybox(image);
    // Without CAP_SYS_RESOURCE, podman can't raise these limits to its own defaults.
    const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    podman('run', '-d', '--name', name, '--network', 'none', ...limits, image, '/bin/sleep', '600');
    return () => {
      podman('rm', '--force', '--time', '0', name);
      podman('rmi', '--force', image);
    };
  });

  it('copies both ways, and goes on when the client of the engine is killed', async () => {
    const directory = temporaryDirectory();
    const at = (name: string) => join(directory, name);
    execFileSync('sh', ['-c', `yes agent-bash | head -c ${SIZE} >"$0"`, at('from')]);
    const copy = ['copy', '--json', '--target', `name:${name}`, '--engine', PODMAN.join(' ')];
    const line = new CommandLine([...copy, at('from'), ':/tmp/there']);
    const hasPart = () =>
      podman('exec', name, 'sh', '-c', 'du -k /tmp/.agent-bash-partial-* 2>/dev/null || :');
    await until(() => Number.parseInt(hasPart(), 10) > 5_000, 'a part is there');
    for (const pid of living(`exec -i ${name}`)) process.kill(pid, 'SIGKILL');
    const { code, stdout } = await line.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ files: 1, bytes: SIZE });
    const back = await commandLine([...copy, ':/tmp/there', at('back')]);
    expect(JSON.parse(back.stdout)).toMatchObject({ files: 1, bytes: SIZE });
    expect(readFileSync(at('back')).equals(readFileSync(at('from')))).toBe(true);
  });
});
