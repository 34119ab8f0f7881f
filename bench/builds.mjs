// Measures two builds of the addon beside each other, such as that of a clone and the published one:
//
//   npm run build && mkdir -p target/builds && cp agent-bash.*.node agent-bash-helper.* target/builds
//   npm run build:portable
//   node bench/builds.mjs [--only one-true,lines] [--rounds 9] target/builds/NAME.node NAME.node
//
// NAME.node is the name of the addon here, such as agent-bash.linux-x64-gnu.node. A ratio is the median of
// the rounds' ratios, of the first build to the second; a dash stands where the difference is below the
// spread.

import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadWarning } from './lib/noise.mjs';
import { prepare } from './lib/prepare.mjs';
import { Results } from './lib/results.mjs';
import { takeRounds } from './lib/rounds.mjs';
import { loadScenarios } from './lib/scenarios.mjs';

/** The scenarios that depend on the code of the addon most: starts, decoding, lines, views. */
const SCENARIOS = 'one-true,at-once,ascii,wide,lines,bulk-stream,view,first-call';

const { values: options, positionals: addons } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: SCENARIOS }, rounds: { type: 'string', default: '9' } },
});
const missing = addons.filter((path) => !existsSync(path));
const rounds = Number(options.rounds);
if (addons.length !== 2 || missing.length > 0 || !(rounds >= 1)) {
  console.error('usage: node bench/builds.mjs [--only a,b] [--rounds n] FIRST.node SECOND.node');
  for (const path of missing) console.error(`there is no ${path}`);
  process.exit(2);
}

const [load] = loadavg();
prepare();
const warning = loadWarning(load);
if (warning) console.log(warning);
const scenarios = await loadScenarios(options.only.split(','));
/** The peer that uses an addon in a scenario. */
const peerOf = ({ name }) => (name === 'view' ? 'agent-bash-view' : 'agent-bash-run');
const { samples } = await takeRounds({
  scenarios,
  rowsOf: (scenario) =>
    ['first', 'second'].map((name, index) => ({
      name,
      module: peerOf(scenario),
      runtime: 'node',
      addon: resolve(addons[index]),
    })),
  rounds,
  onProgress: () => {},
  onFailure: (what) => console.log(`failed: ${what}`),
});
const results = new Results(samples);
for (const { name, metrics } of scenarios) {
  const [metric] = metrics;
  const ms = ['first', 'second'].map((build) => results.value(name, build, metric));
  const ratio = results.ratio(name, 'first', metric, 'second');
  const spread = Math.max(...['first', 'second'].map((build) => results.spread(name, build, metric)));
  const isSmall = Math.abs(ratio - 1) < spread;
  const text = `${ratio?.toFixed(2)}${isSmall ? ' -' : ''}`;
  console.log(`${name.padEnd(14)} ${ms.map((value) => value?.toPrecision(4)).join(' / ')}  ${text}`);
}
