/**
 * Puts the working directory, or `base`, before a relative path, and changes nothing else.
 *
 * Not `path.resolve`: the kernel goes from `link/..` to the parent of what the link leads to, and so does `child_process`; as
 * text it would be the directory of the link.
 *
 * @throws what `process.cwd()` throws when Node's own directory is gone
 */
function absolutePath(path, base) {
  if (path.startsWith('/')) return path;
  const start = base ?? process.cwd();
  if (path === '') return start;
  return start.endsWith('/') ? start + path : `${start}/${path}`;
}

export { absolutePath };
