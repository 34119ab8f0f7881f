// Draws the pictures of the documents as SVG: readable in light and dark, with a text for screen readers.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Colours of both themes: the text, and the kinds of boxes and arrows. */
const STYLE = `text { font: 13px system-ui, -apple-system, sans-serif; fill: #1f2328 }
.small { font-size: 11.5px; fill: #59636e }
.title { font-size: 15px; font-weight: 600 }
.head { font-weight: 600 }
.code { font-family: ui-monospace, SFMono-Regular, Menlo, monospace }
.page { fill: #ffffff; stroke: #d0d7de }
.box { fill: #f6f8fa; stroke: #d0d7de }
.own { fill: #ddf4ff; stroke: #54aeff }
.command { fill: #fff8c5; stroke: #d4a72c }
.watch { fill: #dafbe1; stroke: #4ac26b }
.line { stroke: #59636e; fill: none }
.kill { stroke: #cf222e; fill: none; stroke-dasharray: 5 3 }
.killed { fill: #cf222e }
.cell { text-anchor: middle }
.added { fill: #dafbe1 }
.removed { fill: #ffebe9 }
.question { fill: #0969da; font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.small { fill: #9198a1 }
.page { fill: #0d1117; stroke: #3d444d }
.box { fill: #151b23; stroke: #3d444d }
.own { fill: #121d2f; stroke: #1f6feb }
.command { fill: #272115; stroke: #9e6a03 }
.watch { fill: #12261e; stroke: #238636 }
.line { stroke: #9198a1 }
.kill { stroke: #f85149 }
.killed { fill: #f85149 }
.added { fill: #12261e }
.removed { fill: #25171c }
.question { fill: #58a6ff }
}`;

const escaped = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
const text = (x, y, words, kind = '') => `<text class="${kind}" x="${x}" y="${y}">${escaped(words)}</text>`;

/** A box with a heading and lines below it. */
function box(kind, x, y, width, heading, lines = []) {
  const height = 30 + lines.length * 17 + (lines.length > 0 ? 4 : 0);
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    text(x + 10, y + 20, heading, 'head'),
    ...lines.map((line, index) => text(x + 10, y + 40 + index * 17, line, 'small')),
  ].join('\n');
}

/** An arrow along a path of SVG. */
function arrow(kind, path, words, at) {
  const label = words === undefined ? [] : [text(...at, words, kind === 'kill' ? 'small killed' : 'small')];
  return [`<path class="${kind}" d="${path}" marker-end="url(#${kind})"/>`, ...label].join('\n');
}

/**
 * Writes docs/NAME.svg, whose title and description are for screen readers too. With `--check`, only compares
 * it with the file.
 */
function picture(name, width, height, title, description, parts) {
  const end = (kind) =>
    `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="${kind}" style="stroke-dasharray: none" d="M1 1 L7 4 L1 7"/></marker>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escaped(title)}</title>
<desc id="d">${escaped(description)}</desc>
<style>${STYLE}</style>
<defs>${end('line')}${end('kill')}</defs>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${text(16, 28, title, 'title')}
${parts.join('\n')}
</svg>
`;
  const file = new URL(`../docs/${name}.svg`, import.meta.url);
  if (!process.argv.includes('--check')) return writeFileSync(file, svg);
  if (readFileSync(file, 'utf8') === svg) return;
  console.error(`docs/${name}.svg is not of today: run node ${relative('.', process.argv[1])}`);
  process.exitCode = 1;
}

export { arrow, box, escaped, picture, text };
