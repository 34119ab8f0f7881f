// Formats the text that a run prints.

import { titleOf, written } from './metrics.mjs';
import { table } from './table.mjs';

/** The spread above which a row is marked as unreliable. */
const TOO_WIDE = 0.15;

export function scenarioTable(scenario, results) {
  const lines = table(scenarioRows(scenario, results)).map((line) => `  ${line}`);
  return [`${scenario.title} (${scenario.name})`, ...lines].join('\n');
}

/** Returns the cells of a scenario's table; the first row has the titles. */
function scenarioRows(scenario, results) {
  const [main] = scenario.metrics;
  const peers = results.peers(scenario.name);
  const hasRatios = peers.some((peer) => results.toBase(scenario.name, peer, main) !== undefined);
  const ratios = hasRatios ? ['× child-process', ...(scenario.limit ? ['× limit'] : [])] : [];
  const head = ['', ...scenario.metrics.map(titleOf), ...ratios, 'spread'];
  const rows = peers.map((peer) => [
    peer,
    ...scenario.metrics.map((metric) => cell(results.value(scenario.name, peer, metric), metric)),
    ...ratios.map((title) =>
      ratioCell(
        title === '× limit'
          ? results.toLimit(scenario.name, peer, main)
          : results.toBase(scenario.name, peer, main),
      ),
    ),
    spreadCell(results.spread(scenario.name, peer, main)),
  ]);
  return [head, ...rows];
}

export function goalTable(goals, results) {
  const rows = goalRows(goals, results);
  if (rows.length === 0) return '';
  return ['goals of agent-bash', ...table(rows).map((line) => `  ${line}`)].join('\n');
}

/** Returns a row for each measured goal, without titles. */
function goalRows(goals, results) {
  return goals
    .map((goal) => [goal, goal.over ? ratioFor(goal, results) : valueFor(goal, results)])
    .filter(([, value]) => value !== undefined)
    .map(([goal, value]) => [
      goal.scenario,
      titleOf(goal.metric) + (goal.over ? ` × ${goal.over}` : ''),
      goal.over ? value.toFixed(3) : written(goal.metric, value),
      `≤ ${goal.most}`,
      value <= goal.most ? 'met' : 'NOT MET',
    ]);
}

/** Counts the unreliable figures among those that make the ratios. */
export function noisyRows(scenarios, results) {
  return scenarios.flatMap(({ name, metrics: [main] }) =>
    results
      .peers(name)
      .filter((peer) => results.spread(name, peer, main) > TOO_WIDE)
      .map((peer) => `${name}/${peer}`),
  );
}

function ratioFor({ scenario, peer = 'agent-bash-run', metric, over }, results) {
  return results.ratio(scenario, peer, metric, over);
}

function valueFor({ scenario, peer = 'agent-bash-run', metric }, results) {
  return results.value(scenario, peer, metric);
}

function cell(value, metric) {
  return value === undefined ? '–' : written(metric, value);
}

/** Formats a number with at least two significant digits. */
export function ratioCell(value) {
  if (value === undefined) return '–';
  return value < 0.1 ? value.toFixed(3) : value.toFixed(2);
}

function spreadCell(value) {
  if (value === undefined) return '–';
  return `${Math.round(value * 100)} %${value > TOO_WIDE ? ' !' : ''}`;
}
