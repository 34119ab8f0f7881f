// The figures as tables of Markdown.

import { GOALS } from '../goals.mjs';
import { BASE, LIMIT_NAME, PEERS } from './peers.mjs';
import { goalRows, ratioCell, scenarioRows } from './report.mjs';

/**
 * Rows, one for each scenario: the time of child_process, and the ratio of each peer to it.
 *
 * @param chosen the names of the peers and of the scenarios to show; absent: all that have a figure
 */
export function ratioTable(scenarios, results, chosen = {}) {
  const timed = scenarios.filter(
    ({ name, metrics }) => metrics[0] === 'ms' && (chosen.scenarios?.includes(name) ?? true),
  );
  const columns = [LIMIT_NAME, ...PEERS.map(({ name }) => name)].filter(
    (peer) =>
      peer !== BASE &&
      (chosen.peers?.includes(peer) ?? true) &&
      timed.some(({ name }) => results.toBase(name, peer, 'ms') !== undefined),
  );
  const rows = timed
    .filter(({ name }) => results.value(name, BASE, 'ms') !== undefined)
    .map(({ name, title }) => [
      title,
      `${Number(results.value(name, BASE, 'ms').toPrecision(3))} ms`,
      ...columns.map((peer) => ratio(results.toBase(name, peer, 'ms'), peer)),
    ]);
  return markdownTable([['', BASE, ...columns], ...rows]);
}

/** Returns the report: each scenario with all of its figures, and the goals. */
export function fullReport(scenarios, results) {
  const measured = scenarios.filter(({ name }) => results.peers(name).length > 0);
  return [
    ...measured.flatMap((scenario) => [
      `### ${scenario.title} (\`${scenario.name}\`)`,
      markdownTable(scenarioRows(scenario, results)),
    ]),
    '### Goals',
    markdownTable([['scenario', 'figure', 'is', 'goal', ''], ...goalRows(GOALS, results)]),
  ].join('\n\n');
}

/** Formats a ratio. The project's own ratios are bold. */
function ratio(value, peer) {
  const text = ratioCell(value);
  return value !== undefined && peer.startsWith('agent-bash') ? `**${text}**` : text;
}

function markdownTable([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}
