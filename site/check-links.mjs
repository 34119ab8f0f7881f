// Fails for a link of the built site whose page or anchor is not there.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Returns what is wrong with the links of the site in a folder, which is shown below the path `base`. */
export function brokenLinks(folder, base) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.html'),
  );
  const texts = new Map(pages.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const anchors = new Map(
    [...texts].map(([path, text]) => [
      path,
      new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const broken = [];
  for (const [path, text] of texts) {
    if (path === '404.html') continue;
    for (const [, written] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^([a-z]+:|\/\/)/.test(written)) continue;
      const target = written.startsWith(base) ? `/${written.slice(base.length)}` : written;
      const [place, anchor] = target.split('#');
      const page = place === '' ? path : pageOf(posix.join('/', posix.dirname(path), place), place, pages);
      if (page === undefined && !existsSync(join(folder, place))) broken.push(`${path}: no page ${target}`);
      else if (page && anchor && !anchors.get(page).has(decodeURIComponent(anchor)))
        broken.push(`${path}: no anchor ${target}`);
    }
  }
  return [...new Set(broken)];
}

/** Returns the file of a link, which has no extension. */
function pageOf(relativePlace, place, pages) {
  const path = (place.startsWith('/') ? place : relativePlace).slice(1);
  return [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((file) =>
    pages.includes(file),
  );
}
