// `agent-bash help TOPIC`: the pages of docs/, which the package has.

import { readdirSync, readFileSync } from 'node:fs';

const PAGES = new URL('../docs/', import.meta.url);

/** Returns the names of the pages. */
function topics(): string[] {
  const names = readdirSync(PAGES).filter((name) => name.endsWith('.md'));
  return names.map((name) => name.slice(0, -'.md'.length)).sort();
}

/** Returns the text of a page. */
function topic(name: string): string {
  return readFileSync(new URL(`${name}.md`, PAGES), 'utf8');
}

export { topic, topics };
