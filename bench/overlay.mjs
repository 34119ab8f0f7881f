// Measures what an overlay over 20,000 files adds to `/bin/true` and to `git status`, and the time to find
// its changes.
//
//   npm run build && node bench/overlay.mjs [--runs 50]

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Overlay, run } from '../entry/index.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '50' } } });
const RUNS = Number(values.runs);
const DIRECTORIES = 200;
const FILES = 100;

/** Changes 600 files, creates two, and deletes two. */
const CHANGE = `for d in 0 1 2 3 4 5; do for f in dir$d/*; do echo more >> $f; done; done
echo new > new1; echo new > dir9/new2; rm dir10/0 dir10/1`;

function makeProject(root) {
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    const path = join(root, `dir${directory}`);
    mkdirSync(path);
    for (let file = 0; file < FILES; file++) writeFileSync(join(path, `${file}`), `${directory} ${file}\n`);
  }
  const git = (...words) => execFileSync('git', ['-C', root, ...words], { stdio: 'ignore' });
  git('init');
  git('add', '.');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-m', 'all');
}

/** Runs a command in each setting, in turns, and returns the median times. */
async function compare(command, settings) {
  const cases = Object.entries(settings).map(([name, options]) => ({ name, options, times: [] }));
  for (let count = 0; count <= RUNS; count++) {
    for (const { name, options, times } of cases) {
      const time = await timed(async () => {
        const { exitCode, error, stderr } = await run(command, options);
        if (exitCode !== 0) throw new Error(`${name}: ${error?.message ?? stderr}`);
      });
      // The first one makes the layer, and git's index of the overlay.
      if (count > 0) times.push(time);
    }
  }
  return cases.map(({ name, times }) => [name, median(times)]);
}

const root = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
const overlay = new Overlay({ root });
try {
  makeProject(root);
  const settings = {
    'no sandbox': { cwd: root },
    'workspace-write': { root, sandbox: 'workspace-write' },
    overlay: { root, overlay },
  };
  console.log('| | ms |\n|---|---|');
  const print = (name, ms) => console.log(`| ${name} | ${ms.toFixed(2)} |`);
  for (const command of ['/bin/true', 'git status --porcelain']) {
    const measured = await compare(command.split(' '), settings);
    for (const [name, ms] of measured) print(`\`${command}\`, ${name}`, ms);
  }
  await run(CHANGE, { root, overlay });
  const times = [];
  let found = [];
  for (let count = 0; count < RUNS; count++) {
    times.push(
      await timed(async () => {
        found = await overlay.changes();
      }),
    );
  }
  print(`\`changes()\`: ${found.filter(({ path }) => !path.startsWith('.git')).length} files`, median(times));
} finally {
  await overlay.discard();
  rmSync(root, { recursive: true, force: true });
}
