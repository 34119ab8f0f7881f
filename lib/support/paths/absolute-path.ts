import { resolve } from 'node:path';

/**
 * Prefixes a relative path with `base`, by default the working directory, and changes nothing else.
 *
 * `path.resolve` would shorten `link/..` to the directory of the link. The kernel, and so `child_process`,
 * resolves it to the parent of the link's target. Windows does shorten it, and has further forms: `\a` and
 * `C:a` belong to a directory, and Git Bash writes `/c/a` for `C:\a`.
 *
 * @throws the error of `process.cwd()` if Node.js's own directory was removed
 */
function absolutePath(path: string, base?: string): string {
  if (process.platform === 'win32') return resolve(base ?? '', path.replace(OF_GIT_BASH, '$1:/'));
  if (path.startsWith('/')) return path;
  const start = base ?? process.cwd();
  if (path === '') return start;
  return start.endsWith('/') ? start + path : `${start}/${path}`;
}

/** The beginning of a path on a drive, as Git Bash writes it. */
const OF_GIT_BASH = /^\/([A-Za-z])(?:\/|$)/;

export { absolutePath };
