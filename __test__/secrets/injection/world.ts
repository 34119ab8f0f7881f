import { fileURLToPath } from 'node:url';
import { inWorld } from '../../sandbox/network/world.js';

const MODULE = fileURLToPath(new URL('./world.mjs', import.meta.url));

/** The value that no command may have. */
export const VALUE = 'tok_k7Qr9x4tZ4mW2vB8aNbC';

/** A command with rules: what it wrote, and what the servers got. */
export interface Guarded {
  stdout: string;
  stderr: string;
  exitCode: number | null;
  error: { code: string; message: string } | null;
  used: { credential: string; host: string; port: number; requests: number }[];
  refused: Record<string, unknown>[];
  seen: {
    method: string;
    path: string;
    httpVersion: string;
    body: string;
    headers: Record<string, string>;
  }[];
}

/** Runs a program in a network with a server that needs a credential; see `world.mjs`. */
export function inGuardedWorld<T>(program: string): Promise<T> {
  return inWorld<T>(`
    const { accepted, CREDENTIAL, git, guarded, requests: seen, RULE, VALUE } = await import(${JSON.stringify(MODULE)});
    ${program}
  `);
}

/** Runs one command with rules there. `options` is the text of an object. */
export function guarded(command: string, options = '{}'): Promise<Guarded> {
  return inGuardedWorld<Guarded>(`report(await guarded(${JSON.stringify(command)}, ${options}));`);
}
