import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { isAlive, living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';

const EDITOR = fileURLToPath(new URL('acp/editor.mjs', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: lines of JSON.
type Any = any;

/** An editor with an agent, each a process of its own, with the SDK on both sides. */
class Editor {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  #report: string;
  #text = '';

  constructor(prompt: string) {
    const directory = temporaryDirectory();
    this.#report = `${directory}/report`;
    this.process = spawn(process.execPath, [EDITOR, this.#report, directory], {
      env: { ...process.env, PROMPT: prompt },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#text += text;
    });
    this.ended = new Promise((resolve) => this.process.on('close', resolve));
    onTestFinished(() => {
      this.process.kill('SIGKILL');
    });
  }

  /** The lines that the editor has printed. */
  get lines(): Any[] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Returns the first value of a property that the editor prints. */
  prints(name: string): Promise<Any> {
    return until(() => this.lines.find((line) => line[name] !== undefined)).then((line) => line[name]);
  }

  /** Returns what the agent says of its command. */
  async report(): Promise<Any> {
    await until(() => existsSync(this.#report) && readFileSync(this.#report, 'utf8') !== '');
    return JSON.parse(readFileSync(this.#report, 'utf8'));
  }
}

describe('an agent and an editor, as two processes', () => {
  it('run a command in a terminal that the editor shows by its id', async () => {
    const editor = new Editor('echo hi; exit 3');
    const id = await editor.prints('opened');
    expect(await editor.prints('stopReason')).toBe('end_turn');
    const { data, text } = await editor.report();
    expect(data).toMatchObject({ terminalId: id, exitCode: 3, output: 'hi' });
    expect(await editor.prints('exitCode')).toBe(0);
    const updates = editor.lines.flatMap(({ update }) => update ?? []);
    expect(updates.map(({ sessionUpdate, content }) => [sessionUpdate, content])).toEqual([
      ['tool_call', undefined],
      ['tool_call_update', [{ type: 'terminal', terminalId: id }]],
      ['agent_message_chunk', { type: 'text', text }],
    ]);
    expect(await editor.prints('open')).toBe(0);
  });

  it('end the command with an editor that is killed, which the agent answers', async () => {
    const seconds = tag();
    const editor = new Editor(`echo half; sleep ${seconds}`);
    const agent = await editor.prints('agent');
    await until(() => living(seconds).length > 0);
    editor.process.kill('SIGKILL');
    const { error, status, text } = await editor.report();
    expect({ status, code: error.code }).toEqual({ status: 'failed', code: 'TERMINAL_LOST' });
    expect(text).toContain('the command may still run there');
    await until(() => living(seconds).length === 0);
    await until(() => !isAlive(agent));
  });

  it('end the command with an agent that is killed, whose terminals the editor closes', async () => {
    const seconds = tag();
    const editor = new Editor(`sleep ${seconds}`);
    const agent = await editor.prints('agent');
    await until(() => living(seconds).length > 0);
    process.kill(agent, 'SIGKILL');
    expect(await editor.prints('open')).toBe(0);
    await until(() => living(seconds).length === 0);
    await editor.ended;
    expect(editor.lines).toContainEqual({ exitCode: null, signal: 'SIGKILL' });
  });
});
