// The prompts of `agent-bash run`: the person at the terminal answers what programs of the command ask.

import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { ReadStream, WriteStream } from 'node:tty';
import type { JobOptions, OnPrompt, Prompt } from 'agent-bash';

/** The terminal of this process, whatever its streams are. */
const TERMINAL = '/dev/tty';

/** The variables by which programs find who answers. What the user has set stays. */
const ASKPASS = ['SUDO_ASKPASS', 'SSH_ASKPASS', 'GIT_ASKPASS'];

interface PromptValues {
  pty?: boolean;
  target?: string;
  sandbox?: string;
  noInheritEnv?: boolean;
}

/**
 * Returns the options by which the person at the terminal is asked; none where there is no terminal. With
 * `--pty`, programs ask in the terminal that they have.
 */
function terminalPrompts(
  { pty, target, sandbox, noInheritEnv }: PromptValues,
  env: JobOptions['env'],
): Pick<JobOptions, 'env' | 'onPrompt'> {
  if (process.platform !== 'linux' || pty || target !== undefined || !hasTerminal()) return {};
  let last: Promise<unknown> = Promise.resolve();
  const onPrompt: OnPrompt = (prompt) => {
    const answer = last.then(() => ask(prompt));
    last = answer.catch(() => {});
    return answer;
  };
  // A sandbox does not reach the dialog of the user's own program.
  const isInherited = sandbox === undefined && !noInheritEnv;
  const own = ASKPASS.filter((name) => isInherited && process.env[name] !== undefined);
  return { onPrompt, env: { ...Object.fromEntries(own.map((name) => [name, process.env[name]])), ...env } };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r+'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Asks at the terminal, and does not show what is typed unless it is no secret. Returns `null` after Ctrl-D,
 * and when no answer is needed any more. Ctrl-C interrupts this process.
 */
async function ask({ kind, text, program, verified, signal }: Prompt): Promise<string | null> {
  if (signal.aborted) return null;
  const { createInterface } = await import('node:readline');
  const input = new ReadStream(openSync(TERMINAL, 'r'));
  const output = new WriteStream(openSync(TERMINAL, 'w'));
  const lines = `${program} asks${verified ? ' (verified)' : ''}:\n${text}`.split('\n');
  const prompt = lines.pop() ?? '';
  const isHidden = kind === 'password';
  const shown = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output;
  const terminal = createInterface({ input, output: shown, terminal: true, historySize: 0 });
  // The prompt comes once the terminal has ceased to show what is typed.
  output.write(`${lines.join('\n')}\n${isHidden ? prompt : ''}`);
  try {
    return await new Promise((resolve) => {
      // The terminal may hang up.
      for (const stream of [input, output]) stream.on('error', () => resolve(null));
      terminal.once('line', resolve);
      terminal.once('close', () => resolve(null));
      // The end of the command ends the prompt. An answer now could let the program go on before that.
      terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      signal.addEventListener('abort', () => resolve(null), { once: true });
      if (isHidden) return;
      terminal.setPrompt(prompt);
      terminal.prompt();
    });
  } finally {
    terminal.close();
    // The line break after Enter was hidden too, and nothing else ends a line that got no answer.
    if (isHidden || signal.aborted) output.write('\n');
    output.end();
    input.destroy();
  }
}

export { terminalPrompts };
