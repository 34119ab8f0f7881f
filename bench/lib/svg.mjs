// Draws the ratios to child_process: a row for each scenario, a dot for each peer. The scale is logarithmic,
// so half and double are equally far from 1. The picture has a background, because pages are light or dark.

import { conditionLines } from './machine.mjs';
import { BASE, LIMIT_NAME, PEERS } from './peers.mjs';

const WIDTH = 900;
const LEFT = 320;
const RIGHT = 690;

/** The columns with the figures of the package. */
const COLUMNS = { 'agent-bash-run': 748, 'agent-bash-argv': 796, 'agent-bash': 844 };

const TOP = 112;
const ROW = 30;

/** The vertical distance between two dots of a row (px), so that equal ratios do not hide each other. */
const LANE = 2.6;

const MARKS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000];

const OWN = {
  'agent-bash': '#0b5fff',
  'agent-bash-run': '#0a7ea4',
  'agent-bash-argv': '#6639ba',
};
const OTHERS = ['#9a6700', '#1a7f37', '#a475f9', '#bf5700', '#b0307a', '#2da44e', '#57606a'];

const STYLE = `text { font: 12px system-ui, -apple-system, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.small { font-size: 11px; fill: #57606a }
.own { font-weight: 600; font-size: 11px }
.grid { stroke: #d0d7de }
.one { stroke: #57606a; stroke-width: 1.5 }
.limit { stroke: #1f2328; stroke-width: 2 }`;

/** Draws `results`, for the scenarios whose main value is a time. */
export function chart(scenarios, results, machine) {
  const rows = scenarios
    .filter(({ metrics }) => metrics[0] === 'ms')
    .map(({ name, title }) => ({ title, dots: dotsOf(name, results) }))
    .filter(({ dots }) => dots.length > 0);
  const peers = PEERS.map(({ name }) => name).filter((name) =>
    rows.some(({ dots }) => dots.some(({ peer }) => peer === name)),
  );
  const colors = colorsOf(peers);
  const scale = scaleFor(rows.flatMap(({ dots }) => dots.map(({ ratio }) => ratio)));
  const bottom = TOP + rows.length * ROW;
  const notes = conditionLines(machine, 130);
  const height = bottom + 34 + notes.length * 15;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    `<title>Time as a ratio to node:child_process</title>`,
    `<style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6" fill="#ffffff" stroke="#d0d7de"/>`,
    text(16, 26, 'Time as a ratio to node:child_process: further to the left is faster', 'title'),
    ...legend(peers, colors),
    ...scale.marks.map((mark) => gridLine(mark, scale.place(mark), bottom)),
    ...peers
      .filter((peer) => OWN[peer])
      .map((peer) =>
        ownText(
          COLUMNS[peer],
          TOP - 12,
          peer.replace('agent-bash', 'bash').replace('bash-', ''),
          colors[peer],
        ),
      ),
    ...rows.flatMap((row, index) => drawRow(row, TOP + index * ROW + ROW / 2, scale, colors)),
    ...notes.map((note, index) => text(16, bottom + 38 + index * 15, note, 'small')),
    '</svg>',
    '',
  ].join('\n');
}

function dotsOf(scenario, results) {
  return [LIMIT_NAME, ...PEERS.map(({ name }) => name)]
    .filter((peer) => peer !== BASE)
    .map((peer) => ({ peer, ratio: results.toBase(scenario, peer, 'ms') }))
    .filter(({ ratio }) => ratio > 0);
}

export function colorsOf(peers) {
  const others = peers.filter((peer) => !OWN[peer]);
  return {
    ...OWN,
    ...Object.fromEntries(others.map((peer, index) => [peer, OTHERS[index % OTHERS.length]])),
  };
}

/** Returns the marks of the scale, from below the smallest value to above the largest. */
function scaleFor(ratios) {
  const least = MARKS.findLast((mark) => mark <= Math.min(...ratios, 0.3)) ?? MARKS[0];
  const most = MARKS.find((mark) => mark >= Math.max(...ratios, 3)) ?? MARKS.at(-1);
  const place = (ratio) => {
    const within = Math.min(Math.max(ratio, least), most);
    return round(LEFT + ((RIGHT - LEFT) * Math.log(within / least)) / Math.log(most / least));
  };
  return { place, marks: MARKS.filter((mark) => mark >= least && mark <= most) };
}

function legend(peers, colors) {
  const parts = [];
  let x = 16;
  let y = 48;
  for (const name of [...peers, LIMIT_NAME]) {
    const width = 30 + name.length * 6.6;
    if (x + width > WIDTH) [x, y] = [16, y + 20];
    const mark =
      name === LIMIT_NAME
        ? `<line class="limit" x1="${x + 5}" x2="${x + 5}" y1="${y - 6}" y2="${y + 6}"/>`
        : dot(x + 5, y, 5, colors[name]);
    parts.push(mark, text(x + 14, y + 4, name));
    x += width;
  }
  return parts;
}

function gridLine(mark, x, bottom) {
  const line = `<line class="${mark === 1 ? 'one' : 'grid'}" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${bottom}"/>`;
  return line + [TOP - 12, bottom + 14].map((y) => text(x, y, String(mark), 'small', 'middle')).join('');
}

function drawRow({ title, dots }, y, { place }, colors) {
  const shown = title.replaceAll('`', '');
  const limit = dots.find(({ peer }) => peer === LIMIT_NAME);
  const peers = dots.filter(({ peer }) => peer !== LIMIT_NAME);
  const lane = (index) => y + (index - (peers.length - 1) / 2) * LANE;
  const circles = peers.map(({ peer, ratio }, index) =>
    dot(place(ratio), round(lane(index)), OWN[peer] ? 5.5 : 4, colors[peer]),
  );
  return [
    text(16, y + 4, shown),
    limit &&
      `<line class="limit" x1="${place(limit.ratio)}" x2="${place(limit.ratio)}" y1="${y - 9}" y2="${y + 9}"/>`,
    // The package's own peers come first. They are drawn last, so they are on top.
    ...circles.reverse(),
    ...figures(peers, y + 4, colors),
  ].filter(Boolean);
}

/** Writes the figures of the package's own peers, one column each. */
function figures(dots, y, colors) {
  return dots
    .filter(({ peer }) => OWN[peer])
    .map(({ peer, ratio }) =>
      ownText(COLUMNS[peer], y, ratio < 10 ? ratio.toPrecision(2) : ratio.toFixed(0), colors[peer]),
    );
}

function ownText(x, y, content, color) {
  return `<text class="own" x="${x}" y="${y}" text-anchor="end" style="fill:${color}">${content}</text>`;
}

function dot(x, y, radius, color) {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${color}" fill-opacity="0.85" stroke="#ffffff"/>`;
}

function text(x, y, content, style = '', anchor = 'start') {
  return `<text class="${style}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
