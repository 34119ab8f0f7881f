import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionResult } from 'agent-bash';
import { describe, expect, it } from 'vitest';
import { BASH_DOES } from '../support/bash.js';
import { temporaryDirectory } from '../support/directory.js';
import { SHELLS, session } from './support.js';

const BASH = '/bin/bash';

// Where an older bash keeps its input.
const isFree = (descriptor: number) => !BASH_DOES.keepInput || descriptor !== 10;

describe('a session of bash', () => {
  it.each([8, 10, 11, 12, 13, 200].filter(isFree))(
    'keeps the file that a command opens as descriptor %i',
    async (descriptor) => {
      const directory = temporaryDirectory();
      const shellSession = session({ shell: BASH, cwd: directory });
      await shellSession.run(`exec ${descriptor}>file`);
      await shellSession.run(`echo one >&${descriptor}`);
      await shellSession.run(`echo two >&${descriptor}; exec ${descriptor}>&-`);
      expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('one\ntwo\n');
    },
  );

  it.each([10, 11, 12, 13].filter(isFree))(
    'runs the next command after descriptor %i was closed',
    async (descriptor) => {
      const shellSession = session({ shell: BASH });
      const closed = await shellSession.run(`MARK=kept; exec ${descriptor}>&-`);
      expect(closed).toMatchObject({ exitCode: 0, stderr: '', shellEnded: false });
      const next = await shellSession.run('echo ran $MARK');
      expect(next).toMatchObject({ stdout: 'ran kept\n', restarted: false });
    },
  );

  it('says that the shell has ended if a command closes what it keeps of its input', async () => {
    const shellSession = session({ shell: BASH });
    const closing = BASH_DOES.keepInput ? 'exec 10>&- 240>&-' : 'exec 240>&-';
    const exitCode = BASH_DOES.keepInput ? 1 : 3;
    expect(await shellSession.run(`${closing}; (exit 3)`)).toMatchObject({ exitCode, shellEnded: true });
    expect(await shellSession.run('echo new')).toMatchObject({ stdout: 'new\n', restarted: true });
  });

  it('lets programs inherit no descriptor but the standard streams and those of its commands', async () => {
    const shellSession = session({ shell: BASH });
    const own = (await shellSession.run('ls -l /proc/self/fd')).stdout;
    expect(/ 2[34]\d -> /.test(own)).toBe(BASH_DOES.passCopiesOn);
    const { stdout } = await shellSession.run('exec 11</dev/zero; ls -l /proc/self/fd');
    expect(stdout).toMatch(/ 11 -> \/dev\/zero$/m);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'has no end of a command that its shell never began, which ends at line %i',
    async (line) => {
      const shellSession = session({ shell: BASH });
      await shellSession.run(`PROMPT_COMMAND='[ "$((++LINES_READ))" -lt ${line} ] || exit 0'`);
      for (const _ of Array(4)) {
        const { status, stdout, error } = await shellSession.run('echo ran');
        if (stdout !== 'ran\n')
          expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'SESSION_LOST' });
      }
    },
  );

  it('executes nothing that a command opens where the shell keeps its input', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'script'), 'touch executed\n');
    const shellSession = session({ shell: BASH, cwd: directory });
    await shellSession.run('exec 240<script; echo ran');
    expect(await shellSession.run('ls')).toMatchObject({ stdout: 'script\n' });
  });

  it('gives $? of a command to the next one', async () => {
    const shellSession = session({ shell: BASH });
    await shellSession.run('(exit 7)');
    expect((await shellSession.run('echo $?; false')).stdout).toBe('7\n');
    expect((await shellSession.run('echo $?; sleep 60', { timeout: 100 })).stdout).toBe('1\n');
    expect((await shellSession.run('echo $?')).stdout).toBe(`${BASH_DOES.stopped}\n`);
  });
});

describe.each(SHELLS)('a session of %s with few descriptors', (shell) => {
  it.each([...Array(20).keys()].map((limit) => limit + 3))(
    'runs each command or says that its shell was lost, with ulimit -n %i',
    async (limit) => {
      const shellSession = session({ shell });
      const results: SessionResult[] = [];
      for (const command of [`ulimit -n ${limit}`, 'echo ran', 'echo ran', 'echo ran']) {
        results.push(await shellSession.run(command, { timeout: 20_000 }));
      }
      for (const { stdout, error, exitCode, shellEnded } of results.slice(1)) {
        const isFailed = shell === BASH && BASH_DOES.failWithFewDescriptors && exitCode === 1;
        if (stdout !== 'ran\n' && !isFailed)
          expect({ code: error?.code, shellEnded }).toEqual({ code: 'SESSION_LOST', shellEnded: true });
      }
      results.forEach(({ restarted }, index) => {
        expect(restarted).toBe(results[index - 1]?.shellEnded ?? false);
      });
    },
  );
});
