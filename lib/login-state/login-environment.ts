import { unavailableOnWindows } from '../addon/missing-addon.ts';
import { cText, object, timerMilliseconds } from '../options/checks.ts';
import type { LoginEnvironmentOptions } from '../options/surroundings/api.ts';
import type { RunResult } from '../result/api.ts';
import { run } from '../run.ts';
import { codedError } from '../support/coded-error.ts';
import { now } from '../support/now.ts';
import { programName } from '../support/paths/program-name.ts';

type Variables = Record<string, string>;
type Printed = RunResult & { marker: string };

/** The default of the longest time for the shell and its start files (ms). */
const TIMEOUT_MS = 10_000;

/** The most output that is kept (bytes): an environment that the kernel accepts has 2 MiB or less. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Variables of the shell itself. The others of the host keep their values. */
const OF_THE_SHELL = ['_', 'OLDPWD', 'PWD', 'SHLVL'];

/**
 * Variables that keep well-known start files from updating themselves and from starting a terminal
 * multiplexer.
 */
const UNATTENDED = { DISABLE_AUTO_UPDATE: 'true', ZSH_TMUX_AUTOSTARTED: 'true' };

/** shell -> the promise of its environment. */
const known = new Map<string, Promise<Variables>>();

async function loginEnvironment(given: LoginEnvironmentOptions = {}): Promise<Variables> {
  const options = object('options', given, ['shell', 'timeout']);
  const shell = options.shell === undefined ? loginShell() : cText('options.shell', options.shell, 'a path');
  const timeout = timerMilliseconds('options.timeout', options.timeout) ?? TIMEOUT_MS;
  const reading = known.get(shell) ?? read(shell, timeout);
  if (!known.has(shell)) {
    known.set(shell, reading);
    // The next call tries again what has failed.
    reading.catch(() => known.delete(shell));
  }
  return { ...(await reading) };
}

/**
 * Returns the login shell of the user, by the system's list of users; by `SHELL` for a user without an entry.
 * Throws on Windows, which has none: each program gets the variables of the user.
 */
function loginShell(): string {
  if (process.platform === 'win32') throw unavailableOnWindows('A login shell');
  try {
    const { shell } = (require('node:os') as typeof import('node:os')).userInfo();
    if (shell) return shell;
  } catch {
    // The system has no entry for this user.
  }
  return process.env.SHELL || '/bin/sh';
}

/**
 * Reads the environment of a shell: as a login shell at a terminal has it, or where no environment arrives,
 * as a login shell alone. Start files for a terminal may replace the shell by another one, or end it.
 */
async function read(shell: string, timeout: number): Promise<Variables> {
  const end = timeout === 0 ? Infinity : now() + timeout;
  let fault: string | undefined;
  for (const flags of flagsOf(shell)) {
    const left = end - now();
    if (left <= 0) break;
    const result = await print(shell, flags, Number.isFinite(left) ? left : 0);
    const variables = variablesIn(result);
    if (variables !== null) return withoutTraces(variables);
    fault = faultOf(result);
  }
  const message = `The environment of the login shell '${shell}' can't be read: ${fault}`;
  throw codedError('LOGIN_ENVIRONMENT', message);
}

/** Returns the flags to try, one after another. csh takes `-l` only if it is its only flag. */
function flagsOf(shell: string): string[][] {
  const name = programName(shell);
  return /^t?csh$/.test(name) ? [['-ic'], ['-c']] : [['-ilc'], ['-lc']];
}

/** Runs a shell that prints its environment between two markers. Start files may print before, and after. */
async function print(shell: string, flags: string[], timeout: number): Promise<Printed> {
  const { randomUUID } = require('node:crypto') as typeof import('node:crypto');
  const marker = `AGENT_BASH=${randomUUID()}`;
  const line = process.platform === 'darwin' ? byPerl(marker) : byEnv(marker);
  const result = await run([shell, ...flags, line], {
    env: UNATTENDED,
    timeout,
    // A start file may start an agent for keys, which the session of the user needs.
    background: 'keep',
    forceKillAfterDelay: 500,
    output: { maxBytes: MAX_BYTES, keep: 'tail', cut: 'character' },
  });
  return { ...result, marker };
}

// All shells read these lines alike. Programs stand by path, as start files may define functions and aliases
// with their names, and change PATH.

function byEnv(marker: string): string {
  return `/usr/bin/env -i -0 ${marker}; /usr/bin/env -0; /usr/bin/env -i -0 ${marker}`;
}

/** `env` of macOS has no `-0` before version 13. */
function byPerl(marker: string): string {
  return `/usr/bin/perl -e 'print "$ARGV[0]\\0", (map "$_=$ENV{$_}\\0", keys %ENV), "$ARGV[0]\\0"' ${marker}`;
}

/** Returns the variables that a shell has printed; `null` if they are not complete. */
function variablesIn({ stdout, marker }: Printed): Variables | null {
  const begin = stdout.indexOf(`${marker}\0`);
  // dash has the marker in `_` too, the last word of the command before.
  const end = stdout.indexOf(`\0${marker}\0`, begin);
  if (begin === -1 || end === -1) return null;
  const variables: Variables = {};
  for (const line of stdout.slice(begin, end).split('\0').slice(1)) {
    const equals = line.indexOf('=', 1);
    if (equals > 0) variables[line.slice(0, equals)] = line.slice(equals + 1);
  }
  return variables;
}

/** Restores the variables of the shell itself, and those that this file has added. */
function withoutTraces(variables: Variables): Variables {
  for (const name of [...OF_THE_SHELL, ...Object.keys(UNATTENDED)]) {
    const own = process.env[name];
    if (own === undefined) delete variables[name];
    else variables[name] = own;
  }
  return variables;
}

function faultOf({ status, exitCode, signal, error }: Printed): string {
  if (error !== null) return error.message;
  if (status === 'timeout') return 'its start files took too long';
  return signal === null ? `it exited with ${exitCode} and printed none` : `it was ended by ${signal}`;
}

export { flagsOf as loginFlags, loginEnvironment, loginShell, UNATTENDED };
