/** Where a package comes from, which npm compares with the provenance. Only the workflow that publishes knows. */
export function repository() {
  const { GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server = 'https://github.com' } = process.env;
  return name ? { repository: { type: 'git', url: `git+${server}/${name}.git` } } : {};
}
