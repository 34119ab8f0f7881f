import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { shown } from '../support/jobs.js';
import { isAlive, until } from '../support/processes.mjs';
import { BIN, commandLine } from './support.js';

/** The command line, for a shell in a terminal. */
const RUN = `'${process.execPath}' '${BIN}' run --pty`;
const MARK = 'modes are as before';
/** Runs a command, and says whether the modes of the terminal have outlived it. */
const compared = (command: string) =>
  `old=$(stty -g); ${command}; echo "code $?"; [ "$old" = "$(stty -g)" ] && echo ${MARK}; sleep 1000`;

describe('agent-bash run --pty', () => {
  it('gives the command a terminal of the size of this one, and restores the modes', async () => {
    await using table = new Jobs();
    const job = table.start(compared(`${RUN} -- 'test -t 0 && stty size; exit 3'`), {
      pty: { cols: 91, rows: 17 },
    });
    const text = await shown(job, MARK);
    expect(text).toMatch(/^17 91$/m);
    expect(text).toMatch(/^code 3$/m);
  });

  it('passes on keys as they are, also Ctrl-C, which is a signal for the command alone', async () => {
    await using table = new Jobs();
    const program = `trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.1; done`;
    const job = table.start(compared(`${RUN} -- "${program}"`), { pty: true });
    await shown(job, /^ready$/m);
    job.write('\x03');
    const text = await shown(job, MARK);
    expect(text).toMatch(/interrupted/);
    expect(text).toMatch(/^code 7$/m);
  });

  it('passes on a change of the size', async () => {
    await using table = new Jobs();
    const program = `trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done`;
    const job = table.start(`${RUN} -- "${program}"`, { pty: { cols: 80, rows: 24 } });
    await shown(job, /^ready$/m);
    job.resize(61, 9);
    await shown(job, /^9 61$/m);
  });

  it('leaves the answer to a query of the program to the terminal, which gives it once', async () => {
    await using table = new Jobs();
    const read = (count: number) => `dd bs=1 count=${count} 2>/dev/null | od -An -c`;
    const program = `stty -icanon -echo; printf '\\033[5n'; ${read(4)}; echo next; ${read(1)}; echo over`;
    const job = table.start(`${RUN} -- "${program}"; sleep 1000`, { pty: { cols: 91, rows: 17 } });
    expect(await shown(job, /^next$/m)).toMatch(/033 +\[ +0 +n/);
    job.write('x');
    expect(await shown(job, /^over$/m)).toMatch(/^ +x$/m);
  });

  it.each([
    ['a timeout', '--timeout 500ms', 'sleep 1000', 124],
    ['a signal to the program', '', 'kill -9 $$', 137],
  ])('restores screen, cursor and modes after %s', async (_, flags, end, code) => {
    await using table = new Jobs();
    const program = `printf '\\033[?1049h\\033[?25l\\033[?2004hdrawn'; ${end}`;
    const job = table.start(compared(`${RUN} ${flags} -- "${program.replace('$$', '\\$\\$')}"`), {
      pty: true,
    });
    expect(await shown(job, MARK)).toMatch(new RegExp(`^code ${code}$`, 'm'));
    expect(job.screen()).toMatchObject({
      alternate: false,
      bracketedPaste: false,
      cursor: { visible: true },
    });
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('restores the modes at %s', async (signal, code) => {
    await using table = new Jobs();
    const file = join(temporaryDirectory(), 'pid');
    const start = `sh -c 'echo $$ >${file}; exec "$@"' sh ${RUN} -- 'echo ready; sleep 1000'`;
    const job = table.start(compared(start), { pty: true });
    await shown(job, /^ready$/m);
    process.kill(Number(readFileSync(file, 'utf8')), signal);
    expect(await shown(job, MARK)).toMatch(new RegExp(`^code ${code}$`, 'm'));
  });

  it('restores the modes when a second signal ends it at once', async () => {
    await using table = new Jobs();
    const file = join(temporaryDirectory(), 'pid');
    const start = `sh -c 'echo $$ >${file}; exec "$@"' sh ${RUN} -- 'trap "" TERM HUP; echo ready; sleep 1000; sleep 1000'`;
    const job = table.start(compared(start), { pty: true });
    await shown(job, /^ready$/m);
    const pid = Number(readFileSync(file, 'utf8'));
    process.kill(pid, 'SIGTERM');
    process.kill(pid, 'SIGHUP');
    process.kill(pid, 'SIGHUP');
    await until(() => !isAlive(pid), 'it ends');
    expect(await shown(job, MARK)).toMatch(/^code 1\d\d$/m);
  });

  it('types what it reads where there is no terminal, and its end', async () => {
    const { code, stdout } = await commandLine(['run', '--pty', '--', 'tty >/dev/null && wc -c']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/0\r\n$/) });
  });

  it.each(['--json', '--merge', '--strip-ansi', '--max-output=1K'])('excludes %s', async (flag) => {
    const { code, stderr } = await commandLine(['run', '--pty', flag, '--', 'true']);
    expect(code).toBe(2);
    expect(stderr).toContain(`--pty and ${flag.split('=')[0]} exclude each other`);
  });
});
