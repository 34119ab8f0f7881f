/**
 * Prefixes a relative path with `base`, by default the working directory, and changes nothing else.
 *
 * `path.resolve` would shorten `link/..` to the directory of the link. The kernel, and so `child_process`,
 * resolves it to the parent of the link's target.
 *
 * @throws the error of `process.cwd()` if Node.js's own directory was removed
 */
function absolutePath(path: string, base?: string): string {
  if (path.startsWith('/')) return path;
  const start = base ?? process.cwd();
  if (path === '') return start;
  return start.endsWith('/') ? start + path : `${start}/${path}`;
}

export { absolutePath };
