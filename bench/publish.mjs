// Writes what bench/results.json says into the README, docs/performance.md and docs/performance.svg. `npm run bench --
// --publish` does so after it has measured; alone it needs no new figures: node bench/publish.mjs

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

export async function publish() {
  const { machine, warnings, samples } = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const results = new Results(samples);
  const scenarios = await loadScenarios([]);
  writeFileSync(PICTURE, chart(scenarios, results, machine));
  writeFileSync(GROWTH_PICTURE, growthChart(results, machine));
  const picture = '![Time as a ratio to node:child_process, for each scenario](docs/performance.svg)';
  // Figures of a noisy machine say so where they stand.
  const circumstances = [conditions(machine), ...warnings].join(' ');
  replaceMarked(README, [picture, ratioTable(scenarios, results), circumstances].join('\n\n'));
  replaceMarked(PAGE, [circumstances, fullReport(scenarios, results)].join('\n\n'));
  // The file is checked like all others.
  execFileSync('npx', ['biome', 'format', '--write', RESULTS], { stdio: 'ignore' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await publish();
