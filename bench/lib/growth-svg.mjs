// The processor time of a command as a picture, beside few others and beside many: a line for each peer.

import { SIZES } from './growth.mjs';
import { conditionLines } from './machine.mjs';
import { colorsOf } from './svg.mjs';

const WIDTH = 900;
const LEFT = 60;
const RIGHT = 720;
const TOP = 60;
const BOTTOM = 320;

const STYLE = `text { font: 12px system-ui, -apple-system, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.small { font-size: 11px; fill: #57606a }
.grid { stroke: #d0d7de }
.line { fill: none; stroke-width: 2 }`;

/** The picture of the scenario `growth`. */
export function growthChart(results, machine) {
  const lines = results
    .peers('growth')
    .map((peer) => ({ peer, values: SIZES.map((size) => results.value('growth', peer, `cpuMs${size}`)) }))
    .filter(({ values }) => values.every((value) => value > 0));
  const colors = colorsOf(lines.map(({ peer }) => peer));
  const most = Math.max(...lines.flatMap(({ values }) => values));
  const x = (index) => round(LEFT + ((RIGHT - LEFT) * index) / (SIZES.length - 1));
  const y = (value) => round(BOTTOM - ((BOTTOM - TOP) * value) / most);
  const notes = conditionLines(machine, 130);
  const height = BOTTOM + 56 + notes.length * 15;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    '<title>Processor time of the host for each command, beside 50 to 2000 at once</title>',
    `<style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6" fill="#ffffff" stroke="#d0d7de"/>`,
    text(16, 26, 'Processor time of the host for each `sleep 1` (ms), so many at once', 'title'),
    ...ticks(most).map(
      (value) =>
        `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${y(value)}" y2="${y(value)}"/>${text(LEFT - 8, y(value) + 4, String(value), 'small', 'end')}`,
    ),
    ...SIZES.map((size, index) => text(x(index), BOTTOM + 18, String(size), 'small', 'middle')),
    ...lines.map(
      ({ peer, values }) =>
        `<polyline class="line" stroke="${colors[peer]}" points="${values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}"/>`,
    ),
    ...spread(lines.map(({ peer, values }) => ({ peer, at: y(values.at(-1)) }))).map(
      ({ peer, at }) => `<text x="${RIGHT + 10}" y="${at + 4}" style="fill:${colors[peer]}">${peer}</text>`,
    ),
    ...notes.map((note, index) => text(16, BOTTOM + 44 + index * 15, note, 'small')),
    '</svg>',
    '',
  ].join('\n');
}

/** Names at the ends of their lines, so far apart that each can be read, and none below the lines. */
function spread(names) {
  const LEAST = 15;
  let next = BOTTOM + LEAST;
  return names
    .toSorted((a, b) => b.at - a.at)
    .map(({ peer, at }) => {
      next = Math.min(at, next - LEAST);
      return { peer, at: next };
    });
}

function ticks(most) {
  const step = [0.1, 0.2, 0.5, 1, 2, 5].find((size) => most / size <= 6) ?? 10;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => Number((index * step).toFixed(1)));
}

function text(x, y, content, style = '', anchor = 'start') {
  return `<text class="${style}" x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}
