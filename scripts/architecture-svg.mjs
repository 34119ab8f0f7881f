// Makes the pictures of ARCHITECTURE.md: docs/processes.svg, docs/life.svg, and docs/layers.svg from the list
// of layers in src/lib.rs. Run: node scripts/architecture-svg.mjs; with --check it only compares.
import { readFileSync } from 'node:fs';
import { arrow, box, picture, text } from './svg.mjs';

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
