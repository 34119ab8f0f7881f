// The order of the pages, once: the site's sidebar, its previous and next, and llms.txt follow it.

/**
 * Sections of the site, each with its pages: a path below docs/, or of a file at the root of the repository.
 */
export const SECTIONS = [
  {
    title: 'Start',
    pages: [
      'README.md',
      'docs/quick-start.md',
      'docs/choosing.md',
      'docs/recipes.md',
      'docs/migrating.md',
      'docs/installing.md',
    ],
  },
  {
    title: 'Run commands',
    pages: [
      'docs/run.md',
      'docs/output.md',
      'docs/timeouts-and-killing.md',
      'docs/errors.md',
      'docs/background-jobs.md',
      'docs/durable-jobs.md',
      'docs/sessions.md',
      'docs/terminals.md',
      'docs/waiting.md',
      'docs/output-view.md',
      'docs/output-view-example.md',
      'docs/bash.md',
    ],
  },
  {
    title: 'Tools for models',
    pages: [
      'docs/tools.md',
      'docs/tools-answers.md',
      'docs/sdks.md',
      'docs/mcp.md',
      'docs/dialects/vendors.md',
      'docs/dialects/oh-my-pi.md',
      'docs/dialects/simple.md',
    ],
  },
  {
    title: 'Safety',
    pages: [
      'docs/security.md',
      'docs/permissions.md',
      'docs/sandbox.md',
      'docs/overlays.md',
      'docs/secrets.md',
      'docs/prompts.md',
      'docs/credentials.md',
      'SECURITY.md',
    ],
  },
  { title: 'Elsewhere', pages: ['docs/targets.md', 'docs/target-files.md'] },
  { title: 'Tests and recordings', pages: ['docs/testing.md', 'docs/recording.md', 'docs/live.md'] },
  {
    title: 'What to rely on',
    pages: ['docs/promises.md', 'docs/limits.md', 'docs/performance.md', 'docs/comparison.md'],
  },
  {
    title: 'The project',
    pages: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/releasing.md'],
  },
];

/**
 * Returns the path of a page within the site: `docs/run.md` is `run.md`, and the README is the first page.
 */
export function placeOf(page) {
  if (page === 'README.md') return 'index.md';
  return page.startsWith('docs/') ? page.slice('docs/'.length) : `project/${page.toLowerCase()}`;
}

/** Returns the anchor of a heading, as GitHub makes it. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
