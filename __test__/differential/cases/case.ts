import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Environment = Record<string, string | undefined>;

/** A call that both engines answer, each in the same new directory. */
export interface Case {
  /** Reads as a sentence and is unique. */
  name: string;
  args: unknown;
  /** Arguments that must give the same answer; the oracle is asked with these instead. */
  equivalent?: unknown;
  /** The workspace root. Default: the case's own directory. */
  cwd?: (dir: string) => unknown;
  safeMode?: unknown;
  /** Fills the case's directory. Runs once for each engine. */
  setup?: (dir: string) => void;
  /** Takes out of both answers what may differ. */
  reading?: (answer: string) => string;
  /** Variables that the host has during the call; `undefined` takes one away. */
  env?: (dir: string) => Environment;
}

type Extra = Omit<Case, 'name' | 'args' | 'safeMode'>;

/** A case that asks for one command in the shell. */
export function command(name: string, text: string, extra: Extra = {}): Case {
  return { name, args: { command: text }, ...extra };
}

/** A case that asks for one command in safe mode. */
export function safe(name: string, text: string, extra: Extra = {}): Case {
  return { name, args: { command: text }, safeMode: true, ...extra };
}

/**
 * A command that leaves `job` behind, to run when the shell has ended: the job reads a pipe that only the end
 * of the shell closes.
 */
export function leaving(job: string, text: string): string {
  return `mkfifo gate; { cat gate; ${job}; } & exec 9>gate; rm gate; ${text}`;
}

/** Writes a file below `dir`, with the directories that it needs. */
export function put(dir: string, path: string, content: string | Uint8Array = '', mode = 0o644): void {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  if (mode & 0o111) writeElsewhere(file, content);
  else writeFileSync(file, content);
  // chmod, not the option of writeFileSync: the umask would clear bits.
  chmodSync(file, mode);
}

/**
 * Writes a program by another process. A command that starts while this process writes the file would hold it
 * open for writing until it executes, and executing the file meanwhile fails (ETXTBSY).
 */
function writeElsewhere(file: string, content: string | Uint8Array): void {
  execFileSync('/bin/sh', ['-c', 'cat > "$1"', 'sh', file], { input: content });
}

/** Both streams from files: the bytes reach the pipes exactly as given. */
export function bytes(name: string, stdout: Uint8Array | string, stderr: Uint8Array | string = ''): Case {
  return command(name, 'cat out; cat err >&2', {
    setup: (dir) => {
      put(dir, 'out', stdout);
      put(dir, 'err', stderr);
    },
  });
}

/** A readable name for a character or a byte sequence. */
export function codePoint(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `U+${hex.padStart(4, '0')}`;
}
