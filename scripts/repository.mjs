/**
 * Returns the repository of the packages, which npm compares with the provenance. Only the publishing
 * workflow knows it.
 */
export function repository() {
  const { GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server = 'https://github.com' } = process.env;
  return name ? { repository: { type: 'git', url: `git+${server}/${name}.git` } } : {};
}
