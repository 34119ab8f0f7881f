import { living, until } from './processes.mjs';

/**
 * Waits for a process that sleeps for this time, and returns its pid. In its first moments it is still a
 * shell.
 */
export async function sleeping(seconds: string): Promise<number[]> {
  return await until(() => {
    const pids = living(`sleep\0${seconds}`);
    return pids.length > 0 && pids;
  }, 'it sleeps');
}
