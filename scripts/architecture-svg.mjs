// Makes the pictures of ARCHITECTURE.md: docs/processes.svg, docs/life.svg, and docs/layers.svg from the list of
// layers in src/lib.rs. Run: node scripts/architecture-svg.mjs; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';

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

/** Writes a picture, whose title and description are for screen readers too. */
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
  console.error(`docs/${name}.svg is not of today: run node scripts/architecture-svg.mjs`);
  process.exitCode = 1;
}

picture(
  'processes',
  760,
  372,
  'Processes and threads, and who ends whom',
  'Node.js with its threads starts a leader for each command, which leads a tree of processes. The guardian watches Node.js and ends all leaders if Node.js ends.',
  [
    box('own', 16, 46, 300, 'Node.js: the host', [
      'JavaScript threads: calls and events',
      'I/O thread: reads, timers, waits, signals of all jobs',
      'spawners: open directories, make pipes, start',
      'scan thread: finds processes by /proc',
      'screen thread, spill writers, and others',
    ]),
    box('watch', 16, 262, 300, 'The guardian: one helper for each host', [
      'holds the other end of a pipe of the host',
      'knows the leader and the tag of every job',
    ]),
    box('command', 470, 46, 274, 'Leader: the command', [
      'a session and a process group of its own',
      'subreaper: orphans stay below it',
      'in a sandbox: below a helper in namespaces',
    ]),
    box('command', 470, 186, 274, 'Members of the job', [
      'children, other sessions, daemons:',
      'found by descent, pipes and the tag',
    ]),
    arrow('line', 'M316 90 H470', 'starts, reads, writes', [330, 82]),
    arrow('line', 'M607 131 V186', 'starts', [615, 164]),
    arrow('kill', 'M316 128 H446 V222 H470', 'timeout, kill(), abort', [326, 146]),
    arrow('kill', 'M316 300 H607 V254', 'the host has ended, also by SIGKILL', [340, 292]),
    arrow('line', 'M166 165 V262', 'starts; sees when the host ends', [174, 222]),
    text(
      16,
      356,
      'A dashed red arrow ends the whole tree: SIGTERM, after 5 s SIGKILL; the guardian SIGKILL at once.',
      'small',
    ),
  ],
);

const STEPS = [
  ['lib/', 'run(command, options)', 'checks the options once, takes a copy of process.env, asks the policy'],
  ['node/', 'plan', 'plain data: what to run, with which bounds'],
  [
    'engine/, job/launch',
    'spawner thread',
    'opens the directory, makes the pipes, starts the process with its tag',
  ],
  ['job/io', 'I/O thread', 'reads and decodes; keeps, cuts and spills output; writes input'],
  [
    'job/life',
    'a state machine',
    'exit, deadline or kill? Then: drain output, count members, end or adopt them',
  ],
  ['job/processes', 'scan', 'no member is left, or all were ended; only then the leader is reaped'],
  ['job/', 'outcome', 'plain data: status, output, usage, processes that were left'],
  ['node/, lib/', 'result', 'one event to JavaScript settles the promise, once'],
];
picture(
  'life',
  760,
  56 + STEPS.length * 52,
  'The life of a command',
  STEPS.map(([where, what, how]) => `${what} (${where}): ${how}.`).join(' '),
  STEPS.flatMap(([where, what, how], index) => {
    const y = 46 + index * 52;
    return [
      `<rect class="${index === 0 || index === STEPS.length - 1 ? 'own' : 'box'}" x="180" y="${y}" width="564" height="40" rx="6"/>`,
      text(16, y + 24, where, 'code small'),
      text(192, y + 17, what, 'head'),
      text(192, y + 33, how, 'small'),
      ...(index === 0 ? [] : [arrow('line', `M460 ${y - 12} V${y}`)]),
    ];
  }),
);

/** Returns the first sentence of a description, or its beginning if that is too long for a line. */
function sentence(description) {
  const first = description
    .split(/\.(?: |$)/)[0]
    .replaceAll('`', '')
    .trim();
  return first.length > 96 ? first.split(': ')[0] : first;
}

const map = /^\/\/! ```text\n([\s\S]*?)^\/\/! ```/m.exec(
  readFileSync(new URL('../src/lib.rs', import.meta.url), 'utf8'),
)[1];
const layers = [...map.matchAll(/^\/\/! (\w+)\/ +(.*)\n((?:\/\/! {6,}.*\n)*)/gm)].map(
  ([, name, first, rest]) => ({
    name,
    what: sentence(`${first} ${rest.replace(/^\/\/! +/gm, '').replaceAll('\n', ' ')}`),
  }),
);
picture(
  'layers',
  760,
  88 + layers.length * 34,
  'The rooms of the code: imports point down only',
  `lib/, then ${layers.map(({ name, what }) => `${name}: ${what}`).join('; ')}.`,
  [
    ...[{ name: 'lib', what: 'TypeScript: the public API' }, ...layers].map(({ name, what }, index) => {
      const y = 44 + index * 34;
      return `<rect class="${index === 0 ? 'own' : 'box'}" x="16" y="${y}" width="728" height="28" rx="6"/>\n${text(28, y + 19, `${name}/`, 'head code')}\n${text(150, y + 19, what, 'small')}`;
    }),
  ],
);
