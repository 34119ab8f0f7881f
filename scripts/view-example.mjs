// Makes docs/output-view.svg and docs/output-view-example.md: one real log as head and tail, and as a view of
// the same size.
//
//   node scripts/view-example.mjs

import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { view } from '../entry/index.mjs';

const NAME = 'go-test-panic';
const BUDGET = 1_600;

const ROW = 15;
/** The width of a character (px): 0.602 em in the fonts below. */
const COLUMN = 6.63;
/** A longer line is cut in the picture (characters). */
const WIDEST = 72;
const MARGIN = 16;
const TITLE = 42;

const corpus = new URL('../bench/corpus/', import.meta.url);
const docs = new URL('../docs/', import.meta.url);
const log = JSON.parse(readFileSync(new URL('training.json', corpus), 'utf8')).find(
  ({ name }) => name === NAME,
);
const bytes = brotliDecompressSync(readFileSync(new URL(`training/${NAME}.log.br`, corpus)));
const { text: chosen } = await view(bytes, { exitCode: log.exitCode, maxBytes: BUDGET });
const omitted = `[… ${(bytes.length - BUDGET).toLocaleString('en-US')} bytes …]`;
const ends = [bytes.subarray(0, BUDGET / 2), omitted, bytes.subarray(-BUDGET / 2)].join('\n');

const isMarker = (line) => /^\[(lines? \d|output: |… )/.test(line);
const isNeeded = (line) => log.mustSee.some(({ text }) => line.includes(text));
const escaped = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

const columns = [
  { title: `Head and tail, ${BUDGET.toLocaleString('en-US')} bytes`, text: ends },
  { title: `The view, ${BUDGET.toLocaleString('en-US')} bytes`, text: chosen },
].map(({ title, text }) => ({ title, lines: stripVTControlCharacters(text).trimEnd().split('\n') }));

const missing = columns.map(({ lines }) =>
  log.mustSee.filter(({ text }) => !lines.join('\n').includes(text)),
);
if (missing[1].length > 0) throw new Error(`the view lacks ${missing[1][0].text}`);

const seen = missing.map((lines) => log.mustSee.length - lines.length);
const width = WIDEST * COLUMN + 2 * MARGIN;
const height = TITLE + Math.max(...columns.map(({ lines }) => lines.length)) * ROW + MARGIN;

function column({ title, lines }, index) {
  const x = Math.round(index * width + MARGIN);
  const rows = lines.map((line, row) => {
    if (line === '') return '';
    const kind = isMarker(line) ? ' class="m"' : isNeeded(line) ? ' class="n"' : '';
    const shown = line.replaceAll('\t', '    ');
    const cut = shown.length > WIDEST ? `${shown.slice(0, WIDEST - 1)}…` : shown;
    return `<text x="${x}" y="${TITLE + row * ROW + 12}"${kind} xml:space="preserve">${escaped(cut)}</text>`;
  });
  const count = `${seen[index]} of ${log.mustSee.length} lines that one must see`;
  return [`<text x="${x}" y="26" class="t">${title}: ${count}</text>`, ...rows.filter(Boolean)].join('\n');
}

const label = `A log of ${bytes.length.toLocaleString('en-US')} bytes as head and tail, and as a view`;
writeFileSync(
  new URL('output-view.svg', docs),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(2 * width)} ${height}" width="${Math.ceil(2 * width)}" height="${height}" role="img" aria-label="${label}">
<style>text { fill: #cdd6f4 } .m { fill: #7f849c } .n { fill: #f9e2af; font-weight: bold } .t { fill: #89b4fa; font-size: 13px; font-weight: bold }</style>
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
<line x1="${Math.round(width)}" y1="12" x2="${Math.round(width)}" y2="${height - 12}" stroke="#45475a"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="11">
${columns.map(column).join('\n')}
</g>
</svg>
`,
);

const cell = ({ lines }) =>
  `<td valign="top"><pre>\n${lines
    .map((line) => (isNeeded(line) && !isMarker(line) ? `<b>${escaped(line)}</b>` : escaped(line)))
    .map((line) => line || ' ')
    .join('\n')}\n</pre></td>`;
const needed = log.mustSee.map(({ text, why }) => `| \`${text}\` | ${why} |`);
writeFileSync(
  new URL('output-view-example.md', docs),
  `# One log, twice

\`${log.command}\` writes ${bytes.length.toLocaleString('en-US')} bytes in ${log.lines.toLocaleString('en-US')} lines (${log.how}). A model may
read ${BUDGET.toLocaleString('en-US')} bytes of it. These lines show what failed; they were selected before any weight was set:

| line | why |
|---|---|
${needed.join('\n')}

Head and tail show ${seen[0]} of these ${log.mustSee.length} lines, [the view](output-view.md) ${seen[1]}; they are bold.

<table><tr>${columns.map(({ title }) => `<th>${title}</th>`).join('')}</tr><tr>
${columns.map(cell).join('\n')}
</tr></table>

\`node scripts/view-example.mjs\` makes this page and its [picture](output-view.svg) from the log in
[bench/corpus/](../bench/corpus/README.md).
`,
);
