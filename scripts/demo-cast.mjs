// Records `npm run demo` by the option `record`: docs/demo.cast for a player, and docs/demo.svg, which shows
// one step after another. Run: node scripts/demo-cast.mjs
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Jobs } from '../entry/index.mjs';
import { escaped } from './svg.mjs';

const DOCS = new URL('../docs/', import.meta.url);
/** Time to read a step (ms). */
const PAUSE = 4_000;
const [COLUMNS, ROWS] = [92, 22];
const [COLUMN, ROW, MARGIN] = [7.83, 18, 16];
/** The colours of a terminal, by their numbers in SGR sequences. */
const COLORS = { 31: '#f38ba8', 32: '#a6e3a1', 36: '#89dceb' };

const place = mkdtempSync(join(tmpdir(), 'demo-cast-'));
const file = join(place, 'demo.cast');
const table = new Jobs();
const job = table.start([process.execPath, 'examples/demo.mjs'], {
  cwd: new URL('..', import.meta.url),
  pty: { cols: COLUMNS, rows: ROWS },
  env: { AGENT_BASH_DEMO_PAUSE: String(PAUSE), NO_COLOR: undefined, FORCE_COLOR: undefined },
  record: { file, title: 'npm run demo', idleTimeLimit: PAUSE / 1_000 },
});
const { exitCode } = await job.result;
if (exitCode !== 0) throw new Error(`the demo exited with ${exitCode}`);
const rows = job.screen({ scrollback: 1_000, ansi: true }).ansi;
await table.dispose();
// The comments are for the package's own views; they name directories of this machine.
const cast = readFileSync(file, 'utf8')
  .replace(/^#.*\n/gm, '')
  .replaceAll(process.execPath, 'node');
writeFileSync(new URL('demo.cast', DOCS), cast);
chmodSync(new URL('demo.cast', DOCS), 0o644);
rmSync(place, { recursive: true });

/** The rows of each step, which begins with its bold title. */
const steps = [];
for (const row of rows) {
  if (/^\x1b\[[\d;]*1m\d\. /.test(row) || /Next:/.test(row)) steps.push([]);
  if (!/Next:/.test(row)) steps.at(-1)?.push(row);
}
const frames = steps.map((step) => step.join('\n').trimEnd().split('\n')).filter(([first]) => first !== '');

/** A row with sequences of colours as spans of SVG. */
function line(row, y) {
  let style = '';
  const parts = row.split(/\x1b\[([\d;]*)m/).map((part, index) => {
    if (index % 2 === 0) return part && `<tspan${style}>${escaped(part)}</tspan>`;
    const codes = part.split(';');
    const color = codes.map((code) => COLORS[code]).find(Boolean);
    style = `${codes.includes('1') ? ' font-weight="700"' : ''}${codes.includes('2') ? ' opacity="0.75"' : ''}${color ? ` fill="${color}"` : ''}`;
    return '';
  });
  return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${parts.join('')}</text>`;
}

const width = Math.ceil(2 * MARGIN + COLUMNS * COLUMN);
const height = 2 * MARGIN + Math.max(...frames.map(({ length }) => length)) * ROW;
const time = (frames.length * PAUSE) / 1_000;
const share = 100 / frames.length;
const plain = frames.flat().map((row) => row.replace(/\x1b\[[\d;]*m/g, ''));
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">The demo in ${frames.length} steps</title>
<desc id="d">${escaped(plain.join('\n'))}</desc>
<style>text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #cdd6f4 }
g { opacity: 0; animation: step ${time}s step-end infinite }
@keyframes step { 0% { opacity: 1 } ${share.toFixed(3)}%, 100% { opacity: 0 } }
${frames.map((_, index) => `.s${index} { animation-delay: ${((index * time) / frames.length).toFixed(2)}s }`).join('\n')}
@media (prefers-reduced-motion: reduce) { g { animation: none } .s0 { opacity: 1 } }</style>
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
${frames.map((frame, index) => `<g class="s${index}">\n${frame.map((row, at) => line(row, MARGIN + (at + 1) * ROW - 4)).join('\n')}\n</g>`).join('\n')}
</svg>
`;
writeFileSync(new URL('demo.svg', DOCS), svg);
