// npm run bench: agent-bash beside what could be used instead, as ratios. --help lists the options.

import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release } from 'node:os';
import { GOALS } from './goals.mjs';
import { makeHome } from './lib/home.mjs';
import { loadWarning, spreadWarning } from './lib/noise.mjs';
import { choose, readOptions } from './lib/options.mjs';
import { BASE, LIMIT_NAME, PEERS } from './lib/peers.mjs';
import { prepare } from './lib/prepare.mjs';
import { goalTable, noisyRows, scenarioTable } from './lib/report.mjs';
import { Results } from './lib/results.mjs';
import { takeRounds } from './lib/rounds.mjs';
import { whyNot } from './lib/sample.mjs';
import { loadScenarios } from './lib/scenarios.mjs';
import { flag, shell } from './lib/shell.mjs';
import { chart } from './lib/svg.mjs';

const begin = performance.now();
const options = readOptions();
const wanted = choose(
  options.peers,
  PEERS.map(({ name }) => name),
);
const scenarios = await loadScenarios(options.only);
const warning = loadWarning();
prepare();
const place = makeHome();

const machine = {
  node: process.version,
  kernel: release(),
  processor: cpus()[0].model,
  processors: availableParallelism(),
  load: loadavg()[0],
  shell: `${shell} ${flag}`,
};
console.log(
  `${machine.processors} × ${machine.processor}, Linux ${machine.kernel}, Node ${machine.node}, ${machine.shell}`,
);
if (warning) console.log(warning);

const peers = await usablePeers();
const samples = await takeRounds({
  scenarios,
  rowsOf: (scenario) => (scenario.limit ? [{ name: LIMIT_NAME }, ...peers] : peers),
  rounds: options.rounds,
  place,
  onProgress: showProgress,
  onFailure: (what) => console.log(`${clearLine()}failed: ${what}`),
});
const results = new Results(samples);

process.stderr.write(clearLine());
for (const scenario of scenarios) console.log(`\n${scenarioTable(scenario, results)}`);
const goals = goalTable(GOALS, results);
if (goals) console.log(`\n${goals}`);
const rows = scenarios.reduce((count, { name }) => count + results.peers(name).length, 0);
const noise = spreadWarning(noisyRows(scenarios, results), rows);
if (noise) console.log(`\n${noise}`);
console.log(`\n${options.rounds} rounds in ${Math.round((performance.now() - begin) / 1000)} s`);

if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine, samples: results }, null, 2)}\n`);
if (options.svg) {
  const names = peers.map(({ name }) => name).filter((name) => name !== BASE);
  writeFileSync(options.svg, chart(scenarios, names, results));
}

async function usablePeers() {
  const usable = [];
  for (const peer of PEERS) {
    if (!wanted.includes(peer.name) && peer.name !== BASE) continue;
    const reason = await whyNot(peer, place);
    if (reason === undefined) usable.push(peer);
    else console.log(`skipped: ${peer.name}: ${reason}`);
  }
  return usable;
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(clearLine() + text);
}

function clearLine() {
  return process.stderr.isTTY ? '\r\x1b[K' : '';
}
