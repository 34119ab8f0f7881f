// Makes the pictures of the pages in docs/: sandbox.svg, overlay.svg, overlay-way.svg and targets.svg.
// Run: node scripts/guide-svg.mjs; with --check it only compares.
import { arrow, box, picture, text } from './svg.mjs';

/** The sight of a command, for each level: `[on the host, read-only, workspace-write, isolated]`. */
const VIEWS = [
  ['the project: root', 'reads', 'writes', 'writes'],
  ['protected paths: .git/hooks, .vscode …', 'reads', 'reads', 'reads'],
  ['programs and settings: /usr, /etc …', 'reads', 'reads', 'reads'],
  ['other files', 'reads', 'reads', 'nothing'],
  ['the home', 'reads', 'writes to a copy', 'an empty one'],
  ['keys, tokens, histories: ~/.ssh, ~/.aws …', 'nothing', 'nothing', 'nothing'],
  ['/tmp', 'its own, 64 MiB', 'its own', 'its own'],
  ['processes', 'its own', 'its own', 'its own'],
  ['network (default)', 'its own loopback', 'its own loopback', 'its own loopback'],
];
const LEVELS = ['read-only', 'workspace-write', 'isolated'];
/** The colours of cells; what is not named is of the command alone. */
const COLORS = { reads: 'own', writes: 'watch', nothing: 'box' };
const columnOf = (index) => 304 + index * 150;

picture(
  'sandbox',
  760,
  92 + (VIEWS.length + 1) * 32,
  'What a command sees of the host at each level',
  VIEWS.map(
    ([what, ...cells]) => `${what}: ${LEVELS.map((level, at) => `${level} ${cells[at]}`).join(', ')}.`,
  ).join(' '),
  [
    text(16, 60, 'on the host', 'head'),
    ...LEVELS.map((level, index) => text(columnOf(index) + 70, 60, level, 'head cell')),
    ...VIEWS.flatMap(([what, ...cells], row) => {
      const y = 74 + row * 32;
      return [
        text(16, y + 17, what),
        ...cells.map(
          (cell, index) =>
            `<rect class="${COLORS[cell] ?? 'command'}" x="${columnOf(index)}" y="${y}" width="140" height="26" rx="4"/>` +
            text(columnOf(index) + 70, y + 17, cell, 'cell'),
        ),
      ];
    }),
    text(16, 90 + VIEWS.length * 32, 'Variables that look like secrets are inherited at no level.', 'small'),
  ],
);

/** A session of examples/overlay.mjs: a kind of line, and its text. */
const DIFF = [
  ['head', 'diff --git a/greet.sh b/greet.sh'],
  ['head', '--- a/greet.sh'],
  ['head', '+++ b/greet.sh'],
  ['small', '@@ -1 +1 @@'],
  ['removed', '-echo Hello'],
  ['added', '+echo Good morning'],
  ['question', 'Accept greet.sh (modified)? [y/N] y'],
  ['', ''],
  ['head', 'diff --git a/notes.txt b/notes.txt'],
  ['head', 'deleted file mode 100644'],
  ['head', '--- a/notes.txt'],
  ['head', '+++ /dev/null'],
  ['small', '@@ -1 +0,0 @@'],
  ['removed', '-keep me'],
  ['question', 'Accept notes.txt (deleted)? [y/N] n'],
];
picture(
  'overlay',
  560,
  58 + DIFF.length * 18,
  'A diff of two files, with a question for each',
  DIFF.map(([, line]) => line).join('\n'),
  DIFF.flatMap(([kind, line], index) => {
    const y = 58 + index * 18;
    const isMarked = kind === 'added' || kind === 'removed';
    return [
      ...(isMarked ? [`<rect class="${kind}" x="1" y="${y - 14}" width="558" height="18"/>`] : []),
      text(16, y, line, isMarked ? 'code' : `code ${kind}`),
    ];
  }),
);

picture(
  'overlay-way',
  760,
  300,
  'The way of a change through an overlay',
  'Commands see the root with a layer of changes above it. What they write goes to the layer. changes() and diff() show the layer, commit() applies all or a part of it to the root, and discard() removes it. If others have changed the same paths of the root meanwhile, commit() applies nothing.',
  [
    box('command', 16, 46, 300, 'Commands', [
      'in the sandbox workspace-write or isolated',
      'run for real, see each other’s changes',
    ]),
    box('own', 16, 160, 300, 'What they see: one directory', [
      'a file of the layer, where there is one,',
      'else that of the root',
    ]),
    arrow('line', 'M166 114 V160', 'read and write', [174, 141]),
    box('watch', 428, 46, 316, 'The layer', [
      'changed, created and deleted files',
      'below /var/tmp, or in directory',
    ]),
    arrow('line', 'M316 176 H376 V73 H428', 'writes', [382, 128]),
    box('box', 428, 216, 316, 'The root, as it was', [
      'others may edit it meanwhile:',
      'the next command sees that',
    ]),
    arrow('line', 'M428 243 H376 V202 H316', 'reads', [382, 232]),
    arrow('line', 'M450 114 V216', 'commit(): all, or paths', [460, 136]),
    text(460, 153, 'diff(), changes(): what it would change', 'small'),
    text(460, 170, 'discard(): nothing', 'small'),
    text(460, 194, 'the same path changed here: OVERLAY_CONFLICT', 'small killed'),
    text(16, 284, 'The kernel merges both (overlayfs).', 'small'),
  ],
);

picture(
  'targets',
  760,
  320,
  'Commands on a target',
  'Here, Node.js with run(), Jobs, sessions and tools sends its commands over one stream, that of ssh, of a container engine or of any program. There, a supervisor runs each command below a reaper, which finds and kills all of its processes. If the stream ends, the supervisor kills them all. Where the helper program can not run, a shell runs the commands, each over a transport of its own.',
  [
    text(16, 58, 'here', 'head'),
    text(348, 58, 'there: another machine, a container, a pod', 'head'),
    box('own', 16, 70, 196, 'Node.js', [
      'run(), Jobs, sessions, tools',
      'output, spill files, screens',
      'policy and approvals',
    ]),
    box('watch', 348, 70, 160, 'Supervisor', [
      'the helper program',
      'starts with the first',
      'command, stays',
    ]),
    arrow('line', 'M212 100 H348', 'commands, input', [226, 92]),
    arrow('line', 'M348 132 H212', 'output, results', [226, 148]),
    text(226, 168, 'one stream: ssh,', 'small'),
    text(226, 184, 'podman, any program;', 'small'),
    text(226, 200, 'a sign of life each 3 s', 'small'),
    ...['bash and its tree', 'make and its tree', 'a server'].flatMap((name, index) => {
      const y = 70 + index * 58;
      return [
        box('command', 576, y, 168, name, ['below a reaper of its own']),
        arrow('line', `M508 ${index === 0 ? 96 : 110} H540 V${y + 26} H576`),
      ];
    }),
    arrow('kill', 'M428 155 V248 H660 V238', 'the stream ends: all are killed', [440, 266]),
    text(
      16,
      300,
      'Where the helper can’t run: a shell there runs the commands, each over a transport of its own, with fewer features.',
      'small',
    ),
  ],
);
