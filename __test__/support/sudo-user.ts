import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './directory.js';

/**
 * Returns the words that run a program as the user `asker`, who has this password and whom sudo lets do
 * everything. Only the program sees the user: it has mounts of its own. Needs root.
 */
export function asUserOfSudo(password: string, words: string[]): string[] {
  const directory = temporaryDirectory();
  const hash = spawnSync('openssl', ['passwd', '-6', password], { encoding: 'utf8' }).stdout.trim();
  for (const [name, line] of [
    ['passwd', 'asker:x:54321:54321::/tmp:/bin/sh'],
    ['shadow', `asker:${hash}:19000:0:99999:7:::`],
    ['sudoers', 'asker ALL=(ALL) ALL'],
  ] as const) {
    const file = join(directory, name);
    copyFileSync(`/etc/${name}`, file);
    writeFileSync(file, `${line}\n`, { flag: 'a' });
  }
  const script = `
    chmod 644 "$1"/passwd && chmod 640 "$1"/shadow && chmod 440 "$1"/sudoers || exit 1
    for name in passwd shadow sudoers; do mount --bind "$1/$name" "/etc/$name" || exit 1; done
    cd /; shift
    exec setpriv --reuid 54321 --regid 54321 --clear-groups env HOME=/tmp "$@"`;
  const shell = ['sh', '-c', script, 'sh', directory, ...words];
  return ['unshare', '--mount', '--propagation', 'private', ...shell];
}
