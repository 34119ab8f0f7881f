import { fileURLToPath } from 'node:url';
import { inWorld } from '../../sandbox/network/world.js';

const MODULE = fileURLToPath(new URL('./world.mjs', import.meta.url));

/** The value that no command may have. */
export const VALUE = 'tok_k7Qr9x4tZ4mW2vB8aNbC';

/** The folder of the packages of clients, for `NODE_PATH`. */
export const PACKAGES = fileURLToPath(new URL('./clients/node_modules', import.meta.url));

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
    /** The names and values by turns, as they were sent. */
    rawHeaders: string[];
  }[];
}

/** Runs a program in a network with a server that needs a credential; see `world.mjs`. */
export function inGuardedWorld<T>(program: string): Promise<T> {
  return inWorld<T>(`
    const { accepted, CREDENTIAL, git, guarded, requests: seen, RULE, VALUE } = await import(${JSON.stringify(MODULE)});
    ${program}
  `);
}

/** The time of many commands in one network (ms). */
export const MANY = 300_000;

/**
 * Returns a function that returns the result of a command by its name. The first call runs all of them, one
 * after the other in one network: each network takes longer than a command.
 */
export function guardedByName(
  commands: Record<string, string>,
  options = '{}',
): (name: string) => Promise<Guarded | undefined> {
  let results: Promise<Record<string, Guarded>> | undefined;
  return async (name) => {
    results ??= inGuardedWorld<Record<string, Guarded>>(`
      const results = {};
      for (const [name, command] of ${JSON.stringify(Object.entries(commands))})
        results[name] = await guarded(command, ${options});
      report(results);
    `);
    return (await results)[name];
  };
}

/** Runs one command with rules there. `options` is the text of an object. */
export function guarded(command: string, options = '{}'): Promise<Guarded> {
  return inGuardedWorld<Guarded>(`report(await guarded(${JSON.stringify(command)}, ${options}));`);
}
