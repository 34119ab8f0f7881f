// Writes the figures of bench/results.json into docs/performance.md and the pictures of docs/.
// `npm run bench -- --publish` calls it after measuring; `node bench/publish.mjs` writes the same figures
// again.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { growthChart } from './lib/growth-svg.mjs';
import { conditions } from './lib/machine.mjs';
import { ratioTable, valueTable } from './lib/markdown.mjs';
import { replaceMarked } from './lib/marked.mjs';
import { GROWTH_PICTURE, PAGE, PICTURE, RESULTS } from './lib/places.mjs';
import { Results } from './lib/results.mjs';
import { loadScenarios } from './lib/scenarios.mjs';
import { chart } from './lib/svg.mjs';

/** The page shows the libraries that could be used instead, also where they are faster. */
const RATIOS = {
  peers: [
    'limit',
    'agent-bash-run',
    'agent-bash',
    'agent-bash-argv',
    'execa',
    'tinyexec',
    'nano-spawn',
    'zx',
    'bun-spawn',
  ],
  scenarios: [
    'one-true',
    'bash-true',
    'one-true-1gib',
    'at-once',
    'at-once-1gib',
    'sleeps',
    'ascii',
    'ascii-8kib',
    'wide',
    'lines',
    'bulk-stream',
    'bulk-bytes',
    'first-call',
    'first-call-require',
    'first-call-bash',
    'kill-one',
    'kill-tree',
  ],
};

/** The figures beside the ratios of times. */
const VALUES = [
  ['at-once', 'gapMs'],
  ['sleeps', 'gapMs'],
  ['one-true', 'cpuEachMs'],
  ['ascii', 'rssMiB'],
  ['idle', 'rssMiB'],
  ['idle', 'importMiB'],
  ['idle', 'threads'],
  ['idle', 'fds'],
  ['kill-tree', 'left'],
  ['growth', 'growth'],
  ['growth-sandbox', 'growth'],
  ['first-call-sandbox', 'ms'],
  ['idle-jobs', 'wakeUps'],
  ['view', 'ms'],
  ['tool', 'ms'],
  ['mcp-start', 'ms'],
  ['session-bash', 'ms'],
  ['session-zsh', 'ms'],
  ['session-dash', 'ms'],
  ['terminal-true', 'ms'],
  ['terminal-line', 'ms'],
  ['terminal-bulk', 'ms'],
  ['waiting', 'ms'],
  ['ready', 'ms'],
  ['beside-a-tree', 'besideMs'],
  ['beside-a-tree', 'meanwhileMs'],
];

/** The columns of the values, where all libraries have them. */
const VALUE_PEERS = ['agent-bash-run', 'child-process', 'execa', 'bun-spawn'];

export async function publish() {
  const { machine, warnings, samples } = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const results = new Results(samples);
  const scenarios = await loadScenarios([]);
  writeFileSync(PICTURE, chart(scenarios, results, machine));
  writeFileSync(GROWTH_PICTURE, growthChart(results, machine));
  // A noisy machine is named beside its figures.
  const circumstances = [conditions(machine), ...warnings].join(' ');
  const ratios = ratioTable(scenarios, results, RATIOS);
  const values = valueTable(scenarios, results, VALUES, VALUE_PEERS);
  replaceMarked(PAGE, [circumstances, ratios, values].join('\n\n'));
  // biome checks this file too.
  execFileSync('npx', ['biome', 'format', '--write', RESULTS], { stdio: 'ignore' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await publish();
