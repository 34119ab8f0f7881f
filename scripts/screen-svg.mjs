// Makes docs/screen.svg: the screen of a real program, as `job.screen()` gives it. Run: node
// scripts/screen-svg.mjs
import { writeFileSync } from 'node:fs';
import { Jobs } from '../entry/index.mjs';

const ROW = 18;
const COLUMN = 8.43;
const MARGIN = 16;
const MENU = 'whiptail --title agent-bash --menu "Which package manager?" 12 44 3 npm "" pnpm "" yarn ""';

const table = new Jobs();
const job = table.start(MENU, { pty: { cols: 64, rows: 20 } });
const { screen } = await job.waitForScreen(/<Ok>/);
await table.dispose();

const escaped = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
const lines = screen.lines
  .map((line, row) => ({ line, y: MARGIN + (row + 1) * ROW - 4 }))
  .filter(({ line }) => line !== '')
  .map(({ line, y }) => `<text x="${MARGIN}" y="${y}" xml:space="preserve">${escaped(line)}</text>`);
const width = Math.ceil(2 * MARGIN + screen.cols * COLUMN);
const height = 2 * MARGIN + screen.rows * ROW;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A menu of whiptail, as text">
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="#cdd6f4">
${lines.join('\n')}
</g>
</svg>
`;
writeFileSync(new URL('../docs/screen.svg', import.meta.url), svg);
