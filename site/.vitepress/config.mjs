import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import llms from 'vitepress-plugin-llms';
import { anchorOf, placeOf, SECTIONS } from '../contents.mjs';
import { PAGES, ROOT } from '../pages.mjs';
import { linkNames, referenceSidebars } from '../reference.mjs';

/** The heading of a page, without marks. */
const titleOf = (page) =>
  page === 'README.md'
    ? 'What it is'
    : (/^# (.*)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1] ?? page).replaceAll('`', '');
const linkOf = (page) => (page === 'README.md' ? '/index' : `/${placeOf(page).replace(/\.md$/, '')}`);

const GUIDE = SECTIONS.map(({ title, pages }) => ({
  text: title,
  collapsed: false,
  items: pages.map((page) => ({ text: titleOf(page), link: linkOf(page) })),
}));

export default defineConfig({
  title: 'agent-bash',
  description: 'The native shell tool for agents in TypeScript',
  head: [['link', { rel: 'icon', href: 'data:,' }]], // none, without a request for it
  srcDir: PAGES,
  outDir: join(ROOT, 'site/dist'),
  cacheDir: join(ROOT, 'site/.vitepress/cache'),
  // The site may lie below a path, as the pages of a repository do.
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: true,
  // Else each page has the whole sidebar in it.
  metaChunk: true,
  markdown: {
    config: linkNames,
    // The headings have the anchors that GitHub gives them, since the pages link to these.
    anchor: { slugify: anchorOf },
  },
  vite: {
    plugins: [llms({ ignoreFiles: ['reference/**/*', 'changelog.md', 'releasing.md'], sidebar: [...GUIDE] })],
    build: { chunkSizeWarningLimit: 8_192 },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: {
      ...referenceSidebars(),
      '/': GUIDE,
    },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: {
            // The code of an error is one word, and its parts are words too.
            tokenize: (text) =>
              text
                .split(/[^\p{L}\p{N}_]+/u)
                .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])),
            // Words that stand on every page say nothing about what is looked for.
            processTerm: (term) => {
              const word = term.toLowerCase();
              return /^(a|an|and|are|as|at|by|for|from|how|i|in|is|it|of|on|or|the|to|what|when|with|whole)$/.test(
                word,
              )
                ? null
                : word;
            },
          },
          searchOptions: {
            fuzzy: 0.1,
            prefix: true,
            boost: { title: 4, titles: 2, text: 1 },
            // A question is answered by a page; the reference and the project's own pages come after.
            boostDocument: (id) => {
              if (/\/(reference|changelog|architecture|contributing|releasing)/.test(id)) return 0.3;
              return id.includes('/dialects/') ? 0.6 : 1;
            },
          },
        },
      },
    },
  },
});
