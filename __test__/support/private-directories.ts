import { readdirSync } from 'node:fs';

/** Returns the private directories of a host, in all places where it may create some. */
export function privateDirectoriesOf(pid: number | undefined): string[] {
  return [`/run/user/${process.getuid?.()}`, '/dev/shm', '/tmp'].flatMap((place) => {
    try {
      return readdirSync(place).filter((name) => name.startsWith(`agent-bash.${pid}.`));
    } catch {
      return [];
    }
  });
}
