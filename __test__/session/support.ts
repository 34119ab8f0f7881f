import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type SessionOptions, ShellSession } from 'agent-bash';
import { onTestFinished } from 'vitest';

/** The shells of this machine that a session can have. */
export const SHELLS = ['/bin/bash', '/bin/zsh', '/usr/bin/zsh', '/bin/dash', '/bin/sh'].filter(
  (path, index, all) =>
    existsSync(path) && all.findIndex((other) => basename(other) === basename(path)) === index,
);

/** A session that is closed when the test is over. */
export function session(options?: SessionOptions): ShellSession {
  const made = new ShellSession(options);
  onTestFinished(async () => {
    await made.close();
  });
  return made;
}
