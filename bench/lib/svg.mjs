// The ratios to child_process as a bar chart. The scale is logarithmic: half and double are equally far from 1.

const LEFT = 330;
const PLOT = 420;
const BAR = 12;
const GAP = 18;
const LEAST = 0.03;
const MOST = 8;
const MARKS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

// Middle tones, which stand out on white and on black.
const COLORS = ['#2f81f7', '#d29922', '#3fa34d', '#a371f7', '#db6d28', '#c5527a', '#1f9aa5', '#8b949e'];

const STYLE = `text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.small { font-size: 10px; fill: #656d76 }
line { stroke: #8b949e; stroke-opacity: 0.35 }
.one { stroke-opacity: 1 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .small { fill: #9198a1 } }`;

/** The chart of `results`, for the scenarios whose main value is a time. */
export function chart(scenarios, peers, results) {
  const parts = [];
  let y = 46;
  for (const { name, title, metrics } of scenarios.filter((scenario) => scenario.metrics[0] === 'ms')) {
    const bars = peers
      .map((peer, index) => ({ peer, index, ratio: results.toBase(name, peer, metrics[0]) }))
      .filter(({ ratio }) => ratio !== undefined);
    if (bars.length === 0) continue;
    parts.push(label(12, y + BAR - 2, escaped(title.replaceAll('`', '')), 'title'));
    for (const { peer, index, ratio } of bars) {
      parts.push(bar(y, ratio, peer, COLORS[index % COLORS.length]));
      y += BAR + 2;
    }
    y += GAP;
  }
  const height = y + 10;
  const width = LEFT + PLOT + 60;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<style>${STYLE}</style>`,
    label(12, 20, 'Time as a ratio to node:child_process (1); shorter is better', 'title'),
    ...MARKS.map((mark) => grid(mark, height)),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function place(ratio) {
  const within = Math.min(Math.max(ratio, LEAST), MOST);
  return LEFT + (PLOT * Math.log(within / LEAST)) / Math.log(MOST / LEAST);
}

function bar(y, ratio, peer, color) {
  const end = place(ratio);
  const rectangle = `<rect x="${LEFT}" y="${y}" width="${round(end - LEFT)}" height="${BAR}" fill="${color}"/>`;
  const name = `<text class="small" x="${LEFT - 6}" y="${y + BAR - 2}" text-anchor="end">${escaped(peer)}</text>`;
  return rectangle + name + label(round(end + 4), y + BAR - 2, ratio.toFixed(2), 'small');
}

function grid(mark, height) {
  const x = round(place(mark));
  const line = `<line x1="${x}" x2="${x}" y1="40" y2="${height - 10}"${mark === 1 ? ' class="one"' : ''}/>`;
  return `${line}<text class="small" x="${x}" y="36" text-anchor="middle">${mark}</text>`;
}

function label(x, y, text, style) {
  return `<text class="${style}" x="${x}" y="${y}">${text}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
