import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Job, Jobs, keys } from '../../index.js';
import { until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const ATTACHED = fileURLToPath(new URL('attached.mjs', import.meta.url));
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A terminal of a person, in which a program with a console runs. The shell tells whether it is as before.
 */
class Person {
  readonly job: Job;

  constructor(table: Jobs, command: string, options: object = {}, size = { cols: 80, rows: 24 }) {
    const words = [process.execPath, ATTACHED, command, JSON.stringify(options)].map(quoted).join(' ');
    const script = `echo above; old=$(stty -g); ${words}; echo "code $?"; [ "$old" = "$(stty -g)" ] && echo same modes; sleep 1000`;
    this.job = table.start(script, { pty: size });
  }

  async sees(pattern: string | RegExp): Promise<string> {
    const { status, screen } = await this.job.waitForScreen(pattern, { timeout: 60_000 });
    expect(status, screen.text).toBe('matched');
    return screen.text;
  }

  /** Waits until the shell has the terminal again, which must be as before. */
  async isBack(): Promise<string> {
    const text = await this.sees('same modes');
    const { alternate, bracketedPaste, cursor, lines } = this.job.screen();
    expect({ alternate, bracketedPaste, visible: cursor.visible }).toEqual({
      alternate: false,
      bracketedPaste: false,
      visible: true,
    });
    expect(lines[0]).toBe('above');
    return text;
  }
}

/** Returns the pid that the program with the console has printed. */
function pidIn(job: Job): number {
  const text = job.read().chunks.map((chunk) => chunk.text);
  return Number(/^pid (\d+)\r/m.exec(text.join(''))?.[1]);
}

describe('attach()', () => {
  it('shows the screen of the command, passes on keys, and restores the terminal at the end', async () => {
    await using table = new Jobs();
    const person = new Person(table, `printf '\\033[31mname?\\033[0m '; read x; echo "hello $x"; sleep 0.3`);
    await person.sees(/^name\? $|^name\?$/m);
    expect(person.job.screen().alternate).toBe(true);
    expect(person.job.screen({ ansi: true }).ansi?.[0]).toContain('\x1b[0;31mname?');
    expect(person.job.screen().lines.at(-1)).toBe('esc kills · ctrl-] detaches');
    person.job.write(`you${keys('enter')}`);
    await person.sees('hello you');
    expect(await person.isBack()).toContain('reason exited, as before');
  });

  it('gives the terminal of the job its own size, and changes of it', async () => {
    await using table = new Jobs();
    const program = `trap 'stty size' WINCH; stty size; while :; do sleep 0.1; done`;
    const person = new Person(table, program, {}, { cols: 91, rows: 20 });
    await person.sees(/^19 91$/m);
    person.job.resize(70, 12);
    await person.sees(/^11 70$/m);
    person.job.write(keys('ctrl-]'));
    expect(await person.isBack()).toContain('reason detached, as before, running');
  });

  it('does not show a password, and passes it on', async () => {
    await using table = new Jobs();
    const person = new Person(table, `read -rsp 'password: ' x; echo; echo "$x" | md5sum; sleep 0.3`);
    await person.sees('password:');
    person.job.write(`secret${keys('enter')}`);
    expect(await person.sees('dd02c7c2232759874e1c205587017bed')).not.toContain('secret');
    await person.isBack();
  });

  it('kills the command at Escape alone, and no key that begins with it does', async () => {
    await using table = new Jobs();
    const person = new Person(table, 'cat -v');
    await person.sees('detaches');
    person.job.write(keys('up'));
    await person.sees('^[[A');
    person.job.write(keys('escape'));
    expect(await person.isBack()).toContain('reason killed, as before, signaled');
  });

  it('leaves Escape to a full-screen program, of which nothing is left on the screen', {
    tags: ['vim'],
  }, async () => {
    await using table = new Jobs();
    const person = new Person(table, 'vim -u NONE -i NONE -n');
    // A change of the size while vim starts takes its greeting away.
    await person.sees(/^~/m);
    // While it starts, vim asks the terminal questions, and may take keys for a part of the answers.
    await person.job.waitForScreen('idle', { idle: 500 });
    person.job.write('ifirst');
    await person.sees(/^first/m);
    person.job.write(keys('escape'));
    person.job.write(':s/first/second/');
    person.job.write(keys('enter'));
    await person.sees(/^second/m);
    person.job.write(`:q!${keys('enter')}`);
    expect(await person.isBack()).toContain('reason exited, as before, exited');
  });

  it.each([
    ['throws', 'throw', 'code 1'],
    ['exits', 'exit', 'code 3'],
  ])('restores the terminal when its process %s', async (_, act, code) => {
    await using table = new Jobs();
    const person = new Person(table, `printf '\\033[?1049h\\033[?25l\\033[?2004hdrawn'; sleep ${tag()}`, {
      act,
    });
    await person.sees('drawn');
    process.kill(pidIn(person.job), 'SIGUSR2');
    expect(await person.isBack()).toContain(code);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('restores the terminal at %s, by which its process then ends', async (signal, code) => {
    await using table = new Jobs();
    const person = new Person(table, `printf '\\033[?25ldrawn'; sleep ${tag()}`);
    await person.sees('drawn');
    process.kill(pidIn(person.job), signal);
    expect(await person.isBack()).toContain(`code ${code}`);
  });

  it.each([
    ['listen to it', 'catch'],
    ['listen to it once', 'catch once'],
  ])('leaves a signal to those who %s', async (_, act) => {
    await using table = new Jobs();
    const person = new Person(table, `echo drawn; sleep ${tag()}`, { act });
    await person.sees('drawn');
    process.kill(pidIn(person.job), 'SIGINT');
    expect(await person.isBack()).toContain('reason detached, as before, running');
  });

  it('restores the terminal when the command is killed by SIGKILL', async () => {
    await using table = new Jobs();
    const person = new Person(table, `printf '\\033[?1049h\\033[?25ldrawn'; sleep 0.5; kill -9 $$`);
    await person.sees('drawn');
    expect(await person.isBack()).toContain('reason exited, as before, signaled');
  });

  it('gives the terminal back while its process is stopped, and takes it again', async () => {
    await using table = new Jobs();
    const program = 'echo drawn; read x; echo "got $x"; sleep 1000';
    const words = [process.execPath, ATTACHED, program].map(quoted).join(' ');
    const job = table.start('bash --norc --noprofile', { pty: true });
    const sees = async (pattern: string | RegExp) => {
      const { status, screen } = await job.waitForScreen(pattern, { timeout: 60_000 });
      expect(status, screen.text).toBe('matched');
    };
    await sees(/[$#] ?$/m);
    job.write(`${words}\r`);
    await sees(/^drawn$/m);
    process.kill(pidIn(job), 'SIGTSTP');
    await sees('Stopped');
    expect(job.screen().alternate).toBe(false);
    job.write('stty -a | grep -o " icanon"; fg\r');
    await until(() => job.screen().alternate, 'the console is back');
    await sees(/^drawn$/m);
    job.write('x\r');
    await sees(/^got x$/m);
    job.write(keys('ctrl-]'));
    await sees('reason detached, as before, running');
    expect(job.screen({ scrollback: 100 }).text).toContain(' icanon');
  });

  it('shows the command in a box, and takes the box away', async () => {
    await using table = new Jobs();
    const region = { row: 5, column: 10, cols: 40, rows: 5 };
    const program = 'until stty size | grep 38; do sleep 0.1; done; sleep 1000';
    const person = new Person(table, program, { region });
    await person.sees('3 38');
    const box = person.job.screen().lines.slice(5, 10);
    expect(box.map((line) => line.slice(10))).toEqual([
      `┌ Console ${'─'.repeat(29)}┐`,
      `│3 38${' '.repeat(34)}│`,
      `│${' '.repeat(38)}│`,
      `│${' '.repeat(38)}│`,
      `└ esc kills · ctrl-] detaches ${'─'.repeat(9)}┘`,
    ]);
    person.job.write(keys('escape'));
    expect(await person.isBack()).not.toContain('Console');
  });

  it('refuses a second console at the same input', async () => {
    await using table = new Jobs();
    const person = new Person(table, `sleep ${tag()}`, { act: 'twice' });
    expect(await person.isBack()).toContain('CONSOLE_BUSY');
  });
});
