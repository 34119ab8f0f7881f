// The state of the user's login shell, read once, for later commands.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { quoteWord } from '../addon/native.ts';
import { HIDDEN, withCause } from '../job/command-events.ts';
import { cText, object, timerMilliseconds } from '../options/checks.ts';
import type { LoginEnvironmentOptions } from '../options/surroundings/api.ts';
import type { StartState } from '../options/surroundings/start-state.ts';
import { addStartState } from '../options/surroundings/start-state.ts';
import type { RunResult } from '../result/api.ts';
import { run } from '../run.ts';
import { codedError } from '../support/coded-error.ts';
import { now } from '../support/now.ts';
import { programName } from '../support/paths/program-name.ts';
import { writeShared } from '../support/shared-files.ts';
import { SharedFolder } from '../support/shared-folder.ts';
import type { DroppedState, LoginState } from './api.ts';
import { loginFlags, loginShell, UNATTENDED } from './login-environment.ts';
import type { StateEntry, StateFlavor } from './scripts.ts';
import { captureScript, checkScript, entriesIn, FLAVORS } from './scripts.ts';
import { select } from './select.ts';

/** The default of the longest time for the shell and its start files (ms). */
const TIMEOUT_MS = 10_000;

/** The most output that is kept (bytes); a state has some hundred KiB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The most parts that end or stop the shell that checks them; beyond them, nothing is taken over. */
const MAX_HOSTILE = 8;

/**
 * Reads the aliases, functions, options and plain variables that the user's login shell has at a terminal,
 * for the option `startState` of later commands. For bash and zsh. The shell reads its start files as for
 * {@link loginEnvironment}, which has the exported variables.
 *
 * Taken over is what differs from a shell without start files and what such a shell reads silently; `dropped`
 * names the rest. Variables whose names look like secrets stay out. The state is a file of this process for
 * this user alone, of at most 1 MiB, which the end of the process removes.
 *
 * @throws an error with the code `LOGIN_STATE` if the shell is missing or another one, or prints no state in
 * time
 *
 * @example
 * const startState = await loginState();
 * await run('ll', { startState });
 */
export async function loginState(options: LoginEnvironmentOptions = {}): Promise<LoginState> {
  const given = object('options', options, ['shell', 'timeout']);
  const shell = given.shell === undefined ? loginShell() : cText('options.shell', given.shell, 'a path');
  const timeout = timerMilliseconds('options.timeout', given.timeout) ?? TIMEOUT_MS;
  const name = programName(shell);
  if (name !== 'bash' && name !== 'zsh') throw failure(shell, 'only the states of bash and zsh can');
  const deadline = timeout === 0 ? Infinity : now() + timeout;
  const flavor: StateFlavor = name;
  const own = await stateOf(shell, loginFlags(shell), flavor, deadline);
  const clean = await stateOf(shell, [FLAVORS[flavor].clean], flavor, deadline);
  const { kept, dropped } = select(flavor, own, clean);
  const silent = await silentOnes(shell, flavor, kept, dropped, deadline);
  return Object.freeze(makeState(shell, flavor, silent, dropped));
}

/** Returns the state of a shell, with the first of these flags with which it prints one. */
async function stateOf(
  shell: string,
  flags: string[][],
  flavor: StateFlavor,
  deadline: number,
): Promise<StateEntry[]> {
  let fault = 'its start files took too long';
  for (const words of flags) {
    const marker = `AGENT_BASH_${randomUUID()}`;
    const result = await runHidden([shell, ...words, captureScript(flavor, marker)], deadline);
    const entries = result && entriesIn(result.stdout, marker);
    if (entries) return entries;
    if (result === null || result.status === 'timeout') continue;
    fault = result.error?.message ?? `it exited with ${result.exitCode ?? result.signal} and printed none`;
  }
  throw failure(shell, fault);
}

/** Runs a shell for this file; resolves with `null` if no time is left. */
async function runHidden(words: string[], deadline: number): Promise<RunResult | null> {
  const left = deadline - now();
  if (left <= 0) return null;
  return withCause(HIDDEN, () =>
    run(words, {
      env: { ...UNATTENDED, BASH_ENV: undefined },
      timeout: Number.isFinite(left) ? left : 0,
      background: 'keep',
      forceKillAfterDelay: 500,
      output: { maxBytes: MAX_BYTES, keep: 'tail', cut: 'character' },
    }),
  );
}

/**
 * Returns the parts that a fresh shell reads without a word and without an end. The others are dropped: each
 * command would print what they print.
 */
async function silentOnes(
  shell: string,
  flavor: StateFlavor,
  entries: StateEntry[],
  dropped: DroppedState[],
  deadline: number,
): Promise<StateEntry[]> {
  const drop = ({ kind, name }: StateEntry, reason: string) => {
    dropped.push({ kind: kind as DroppedState['kind'], name, reason });
  };
  let left = entries;
  for (let attempt = 0; attempt <= MAX_HOSTILE; attempt++) {
    const marker = randomUUID();
    const folder = new SharedFolder();
    const file = join(folder.make(), 'check');
    writeShared(file, checkScript(left, marker));
    const result = await runHidden([shell, ...FLAVORS[flavor].fresh, file], deadline);
    folder.remove();
    if (result === null) break;
    const parts = result.stdout.split('\0');
    const said = new Map<number, string>();
    for (let index = 1; index + 1 < parts.length; index += 2)
      said.set(Number(parts[index]), parts[index + 1]);
    const isWhole = parts.at(-2) === marker;
    const last = isWhole ? -1 : Math.max(-1, ...said.keys());
    const isBad = (index: number) => index === last || (said.get(index) ?? '') !== '';
    left.forEach((entry, index) => {
      if (isBad(index)) drop(entry, 'a shell without start files does not read it silently');
    });
    left = left.filter((_, index) => !isBad(index));
    if (isWhole) return left;
  }
  throw failure(shell, 'a shell without start files can not read its definitions');
}

/** Writes the file that each command reads. */
function makeState(
  shell: string,
  flavor: StateFlavor,
  entries: StateEntry[],
  dropped: DroppedState[],
): LoginState {
  const { first, last } = FLAVORS[flavor];
  const directory = new SharedFolder().make();
  const text = `${first}${entries.map((entry) => `${entry.text}\n`).join('')}${last}`;
  const named = entries.filter(({ kind }) => kind === 'function' || kind === 'alias').map(({ name }) => name);
  const names = [...new Set(named)].sort();
  const file = join(directory, 'state');
  const plan: StartState = {
    shell,
    flavor,
    file,
    variables: { BASH_ENV: file },
    files: [file],
    names: new Set(names),
  };
  writeShared(file, flavor === 'zsh' ? `${ownDirectory()}\n${text}` : text);
  if (flavor === 'zsh') {
    const startFile = join(directory, '.zshenv');
    writeShared(startFile, `${asWithout()}\\builtin . ${quoteWord(file)}\n`);
    plan.variables = { ZDOTDIR: directory };
    plan.files.push(startFile);
  }
  return addStartState({ shell, names, dropped }, plan);
}

/** Returns the line by which zsh has the user's directory of start files in place of ours. */
function ownDirectory(): string {
  const own = process.env.ZDOTDIR;
  return own === undefined ? '\\builtin unset ZDOTDIR' : `\\builtin export ZDOTDIR=${quoteWord(own)}`;
}

/**
 * Returns the lines by which zsh, which reads our start file in place of the user's, does what it does
 * without it.
 */
function asWithout(): string {
  return `${ownDirectory()}\n[[ -r \${ZDOTDIR:-$HOME}/.zshenv ]] && \\builtin . "\${ZDOTDIR:-$HOME}/.zshenv"\n`;
}

function failure(shell: string, fault: string): Error {
  return codedError('LOGIN_STATE', `The state of the login shell '${shell}' can't be read: ${fault}`);
}
