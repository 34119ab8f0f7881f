// Puts the pages of the repository where VitePress reads them. Only links change: the site has another root.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeOf, SECTIONS } from './contents.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where the pages are put; git ignores it. */
export const PAGES = fileURLToPath(new URL('.pages', import.meta.url));

const LISTED = SECTIONS.flatMap(({ pages }) => pages);

/** The page of the repository's files, which the publishing workflow knows. */
const { GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server = 'https://github.com' } = process.env;
const FILES = name ? `${server}/${name}/blob/main` : undefined;

/** Returns a page's text for the site. */
function translated(page) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const here = dirname(placeOf(page));
  // Code keeps what looks like a link.
  return text
    .split(/(^```.*?^```$)/gms)
    .map((part) =>
      part.startsWith('```')
        ? part
        : translateLinks(withPlayers(translateImages(part, page, here)), page, here),
    )
    .join('');
}

function translateLinks(text, page, here) {
  return text.replace(
    /(?<!!)\[((?:[^\][]|!?\[[^\]]*\](?:\([^)]*\))?)*)\]\(([^)\s]+)\)/g,
    (whole, label, target) => {
      if (/^(https?:|#|mailto:)/.test(target)) return whole;
      const [path, anchor] = target.split('#');
      const file = posix.normalize(posix.join(dirname(page), path));
      if (LISTED.includes(file)) {
        const to = posix.relative(here, placeOf(file));
        return `[${label}](./${to}${anchor === undefined ? '' : `#${anchor}`})`;
      }
      // A file of the repository: a link where its page is known, else its name alone.
      return FILES === undefined ? label : `[${label}](${FILES}/${file})`;
    },
  );
}

/** Puts a player in the place of a link to a recording that has a line of its own. */
function withPlayers(text) {
  return text.replace(/^\[([^\]]*)\]\(([\w-]+\.cast)\)$/gm, (_, label, file) => player(file, label));
}

function player(file, label) {
  return `<CastPlayer file="${file}" label="${label.replaceAll('\n', ' ')}" />`;
}

/** Images lie beside the pages in docs/, and do so in the site, where a player shows the demo. */
function translateImages(text, page, here) {
  return text.replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, alternative, target) => {
    if (target === 'docs/demo.svg') return player('demo.cast', alternative);
    const file = posix.normalize(posix.join(dirname(page), target));
    return `![${alternative}](./${posix.relative(here, placeOf(file))})`;
  });
}

/**
 * Puts all pages in place. Throws if a page of docs/ is in no section, or a section names one that is not
 * there.
 */
export function stage() {
  const existing = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`);
  const missing = existing.filter((page) => !LISTED.includes(page));
  if (missing.length > 0) throw new Error(`no section of site/contents.mjs has ${missing.join(', ')}`);
  const gone = LISTED.filter((page) => !existsSync(join(ROOT, page)));
  if (gone.length > 0)
    throw new Error(`site/contents.mjs names pages that are not there: ${gone.join(', ')}`);
  cpSync(join(ROOT, 'docs'), PAGES, { recursive: true, filter: (path) => !path.endsWith('.md') });
  for (const page of LISTED) {
    const to = join(PAGES, placeOf(page));
    const text = translated(page);
    // A server reloads what is written.
    if (existsSync(to) && readFileSync(to, 'utf8') === text) continue;
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}
