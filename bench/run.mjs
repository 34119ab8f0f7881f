// npm run bench: agent-bash beside what could be used instead, as ratios. --help lists the options.
//
// docs/performance.md says what is measured. The spread is the median distance from the median; a row above
// 15 % is marked. +MiB is the peak memory during the work less the memory in use before it (VmHWM, VmRSS).
// The output comes from emit.c, which writes it as fast as a program can. pi-natives (350 MB) is measured if
// it is installed: npm install --no-save --prefix bench @oh-my-pi/pi-natives@18.2.3

import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { GOALS } from './goals.mjs';
import { describeMachine, machineLine } from './lib/machine.mjs';
import { loadWarning, spreadWarning } from './lib/noise.mjs';
import { choose, readOptions } from './lib/options.mjs';
import { BASE, LIMIT_NAME, PEERS } from './lib/peers.mjs';
import { RESULTS } from './lib/places.mjs';
import { prepare } from './lib/prepare.mjs';
import { goalTable, noisyRows, scenarioTable } from './lib/report.mjs';
import { Results } from './lib/results.mjs';
import { takeRounds } from './lib/rounds.mjs';
import { whyNot } from './lib/sample.mjs';
import { loadScenarios } from './lib/scenarios.mjs';
import { chart } from './lib/svg.mjs';
import { publish } from './publish.mjs';

const begin = performance.now();
const options = readOptions();
const wanted = choose(
  options.peers,
  PEERS.map(({ name }) => name),
);
const scenarios = await loadScenarios(options.only);
const [load] = loadavg();
prepare();
const peers = await usablePeers();
const machine = describeMachine(peers, load);
console.log(machineLine(machine));
const warning = loadWarning(load);
if (warning) console.log(warning);
if (warning && options.publish) refuse();

const { samples, spent } = await takeRounds({
  scenarios,
  rowsOf: (scenario) => (scenario.limit ? [{ name: LIMIT_NAME }, ...peersOf(scenario)] : peersOf(scenario)),
  rounds: options.rounds,
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
console.log(`\n${options.rounds} rounds in ${inSeconds(performance.now() - begin)}: ${longestFirst(spent)}`);

const json = `${JSON.stringify({ machine, warnings: [warning, noise].filter(Boolean), samples: results })}\n`;
if (options.json) writeFileSync(options.json, json);
if (options.svg) writeFileSync(options.svg, chart(scenarios, results, machine));
if (options.publish) {
  if (noise) refuse();
  writeFileSync(RESULTS, json);
  await publish();
}

/** Ends a run for figures that others will read, which a busy machine would make wrong. */
function refuse() {
  console.error('Nothing is published: --publish needs an idle machine');
  process.exit(1);
}

/** Returns the peers that are measured in a scenario. */
function peersOf({ peers: only, also = [] }) {
  return peers.filter(({ name, isNamed }) => (only ? only.includes(name) : !isNamed || also.includes(name)));
}

async function usablePeers() {
  const usable = [];
  for (const peer of PEERS) {
    if (!wanted.includes(peer.name) && peer.name !== BASE) continue;
    const reason = await whyNot(peer);
    if (reason === undefined) usable.push(peer);
    else console.log(`skipped: ${peer.name}: ${reason}`);
  }
  return usable;
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(clearLine() + text);
}

function longestFirst(times) {
  const entries = Object.entries(times).toSorted(([, a], [, b]) => b - a);
  return entries.map(([name, ms]) => `${name} ${inSeconds(ms)}`).join(', ');
}

function inSeconds(ms) {
  return `${Math.round(ms / 1000)} s`;
}

function clearLine() {
  return process.stderr.isTTY ? '\r\x1b[K' : '';
}
