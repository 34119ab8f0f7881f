// The tables of docs/ about codes and statuses, as data: each fact has one place, its page.

import { topic, topics } from './topics.ts';

/** A row of a table that explains codes. */
export interface Explanation {
  codes: string[];
  /** The other cells, by the heads of their columns. */
  facts: [head: string, text: string][];
  /** The page, and the heading above the table. */
  place: string;
}

/** Matches the head of a column with codes. */
const OF_CODES = /^`?(code|error|error\.code|status|what you see)`?$/;
/** Matches a code, or the word of a status, in backticks. */
const CODE = /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]\w+)`/g;

/** Returns the rows of all pages that explain codes. */
function explanations(): Explanation[] {
  return topics().flatMap((page) => ofPage(page, topic(page)));
}

function ofPage(page: string, text: string): Explanation[] {
  const found: Explanation[] = [];
  let heading = '';
  let heads: string[] | undefined;
  for (const line of text.split('\n')) {
    if (/^#+ /.test(line)) heading = plain(line.replace(/^#+ /, ''));
    if (!line.startsWith('|')) {
      heads = undefined;
      continue;
    }
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (heads === undefined) heads = cells;
    else if (!/^[-:| ]+$/.test(line)) found.push(...ofRow(heads, cells, `docs/${page}.md, ${heading}`));
  }
  return found;
}

function ofRow(heads: string[], cells: string[], place: string): Explanation[] {
  const at = heads.findIndex((head) => OF_CODES.test(head));
  if (at === -1) return [];
  // Of several such columns, as `thrown by | error | code`, the last one has the codes.
  const column = heads.lastIndexOf('code') === -1 ? at : heads.lastIndexOf('code');
  const codes = [...(cells[column] ?? '').matchAll(CODE)].map(([, code = '']) => code);
  const facts = heads.flatMap((head, index): Explanation['facts'] =>
    index === column || cells[index] === '' ? [] : [[plain(head), plain(cells[index] ?? '')]],
  );
  return codes.length === 0 ? [] : [{ codes, facts, place }];
}

/** Returns a text of Markdown without its links. */
function plain(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\\|', '|');
}

export { explanations };
