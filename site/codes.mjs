// Anchors and links for the codes of errors: `CWD_MISSING` anywhere is a link to the row that explains it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeOf } from './contents.mjs';
import { ROOT } from './pages.mjs';

/** The pages whose tables explain codes; the first one that has a code is its place. */
const PAGES = ['docs/errors.md', 'docs/targets.md', 'docs/testing.md', 'docs/overlays.md', 'docs/sandbox.md'];
const CODE = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{5,})$/;

/** Returns the codes in the first cell of a row of Markdown. */
function codesOf(row) {
  const [, cell = ''] = /^\|([^|]*)\|/.exec(row) ?? [];
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code).filter((code) => CODE.test(code));
}

/** Returns the page of each code, as a path within the site. */
function places() {
  const places = new Map();
  for (const page of PAGES) {
    const rows = readFileSync(join(ROOT, page), 'utf8').split('\n');
    // The head of a table has no codes.
    const body = rows.filter((_, index) => !rows[index + 1]?.startsWith('|--'));
    for (const code of body.flatMap(codesOf)) if (!places.has(code)) places.set(code, placeOf(page));
  }
  return places;
}

/** Marks the codes of a page with `id` where they are explained. Returns the links of all codes. */
export function anchorCodes(markdown) {
  const links = places();
  markdown.core.ruler.push('codes', ({ tokens, env }) => {
    const page = env.relativePath;
    const seen = new Set();
    let cell = -1;
    for (const { type, children } of tokens) {
      if (type === 'tr_open') cell = -1;
      else if (type === 'td_open') cell += 1;
      else if (type === 'inline' && cell === 0) {
        const codes = children.filter(
          ({ type: kind, content }) => kind === 'code_inline' && links.get(content) === page,
        );
        for (const code of codes.filter(({ content }) => !seen.has(content))) {
          seen.add(code.content);
          code.attrSet('id', code.content);
        }
      }
    }
  });
  return new Map([...links].map(([code, place]) => [code, `/${place.replace(/\.md$/, '')}#${code}`]));
}
