// Writes the figures of bench/results.json into the README, docs/performance.md and the pictures of docs/.
// `npm run bench -- --publish` calls it after measuring; `node bench/publish.mjs` writes the same figures again.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { growthChart } from './lib/growth-svg.mjs';
import { conditions } from './lib/machine.mjs';
import { fullReport, ratioTable } from './lib/markdown.mjs';
import { replaceMarked } from './lib/marked.mjs';
import { GROWTH_PICTURE, PAGE, PICTURE, README, RESULTS } from './lib/places.mjs';
import { Results } from './lib/results.mjs';
import { loadScenarios } from './lib/scenarios.mjs';
import { chart } from './lib/svg.mjs';

/** The README shows the libraries of its own comparison, also where they are faster. */
const IN_README = {
  peers: ['agent-bash', 'agent-bash-run', 'agent-bash-argv', 'execa', 'bun-spawn'],
  scenarios: [
    'one-true',
    'one-true-1gib',
    'at-once',
    'ascii',
    'lines',
    'bulk-stream',
    'first-call',
    'kill-one',
    'kill-tree',
    'sleeps',
  ],
};

export async function publish() {
  const { machine, warnings, samples } = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const results = new Results(samples);
  const scenarios = await loadScenarios([]);
  writeFileSync(PICTURE, chart(scenarios, results, machine));
  writeFileSync(GROWTH_PICTURE, growthChart(results, machine));
  const picture = '![Time as a ratio to node:child_process, for each scenario](docs/performance.svg)';
  // A noisy machine is named beside its figures.
  const circumstances = [conditions(machine), ...warnings].join(' ');
  replaceMarked(README, [picture, ratioTable(scenarios, results, IN_README), circumstances].join('\n\n'));
  replaceMarked(
    PAGE,
    [circumstances, ratioTable(scenarios, results), fullReport(scenarios, results)].join('\n\n'),
  );
  // biome checks this file too.
  execFileSync('npx', ['biome', 'format', '--write', RESULTS], { stdio: 'ignore' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await publish();
