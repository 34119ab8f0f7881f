import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Overlay, type OverlayOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

/** A workspace with files, and an overlay over it that is discarded at the end of the test. */
export function overlayOver(files: Record<string, string>, options: Omit<OverlayOptions, 'root'> = {}) {
  const root = join(temporaryDirectory(), 'workspace');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  mkdirSync(root, { recursive: true });
  const overlay = new Overlay({ root, ...options });
  onTestFinished(() => overlay.discard());
  return { root, overlay, at: (name: string) => join(root, name) };
}

/** Returns the changes, one line each. */
export async function lines(overlay: Overlay) {
  const changes = await overlay.changes();
  return changes.map(
    ({ path, type, kind, from }) => `${kind} ${path} ${type}${from === undefined ? '' : ` from ${from}`}`,
  );
}

/** Returns everything below a directory: kind, permissions, and content or target. */
export function tree(directory: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(directory, below)).sort()) {
    const path = join(below, name);
    const whole = join(directory, path);
    const status = lstatSync(whole);
    const mode = (status.mode & 0o7777).toString(8);
    if (status.isSymbolicLink()) found[path] = `link ${readlinkSync(whole)}`;
    else if (status.isDirectory())
      Object.assign(found, { [path]: `directory ${mode}` }, tree(directory, path));
    else if (status.isFile()) found[path] = `${mode} ${readFileSync(whole, 'latin1')}`;
    else found[path] = `other ${mode}`;
  }
  return found;
}

/** Runs git on the host, for itself alone. */
export function git(root: string, ...words: string[]) {
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };
  return execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...words], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
}

/** Saves a file as editors do: by a new file that is renamed over the old one. */
export function save(path: string, text: string) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
