/**
 * Returns the repository of the packages, which npm compares with the provenance, and the pages that npm
 * links. Only the publishing workflow knows them.
 */
export function repository() {
  const { GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server = 'https://github.com' } = process.env;
  if (!name) return {};
  const page = `${server}/${name}`;
  return {
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
    repository: { type: 'git', url: `git+${page}.git` },
  };
}
