import { existsSync } from 'node:fs';
import { allowed } from './allow-list.js';
import { words } from './words.js';

/** A program and its arguments; `script` is set if the last argument is a shell command. */
export interface Plan {
  program: string;
  args: string[];
  script?: { flags: string[]; text: string };
}

export interface Refusal {
  refusal: string;
}

/** The shell that runs a command outside of safe mode, and the flags that precede the command. */
export function shell(): { program: string; flags: string[] } {
  if (existsSync('/bin/zsh')) return { program: '/bin/zsh', flags: ['-c'] };
  if (existsSync('/bin/bash')) return { program: '/bin/bash', flags: ['-lc'] };
  return { program: 'sh', flags: ['-c'] };
}

/** Decides what is to be launched, without launching it. */
export function planFor(command: string, safeMode: boolean): Plan | Refusal {
  if (!safeMode) {
    const { program, flags } = shell();
    return { program, args: [...flags, command], script: { flags, text: command } };
  }
  const argv = words(command);
  if (argv === undefined) return { refusal: 'Invalid command syntax in safe mode' };
  if (!allowed(argv)) return { refusal: 'Command not allowed in safe mode' };
  const [program, ...args] = argv;
  return { program, args };
}
