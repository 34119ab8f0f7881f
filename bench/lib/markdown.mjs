// The figures as tables of Markdown.

import { titleOf, written } from './metrics.mjs';
import { BASE } from './peers.mjs';
import { ratioCell } from './report.mjs';

/**
 * Rows, one for each scenario: the time of child_process, and the ratio of each peer to it.
 *
 * @param chosen the names of the peers and of the scenarios to show
 */
export function ratioTable(scenarios, results, chosen) {
  const columns = chosen.peers.filter((peer) => peer !== BASE);
  const rows = scenarios
    .filter(({ name }) => chosen.scenarios.includes(name))
    .map((scenario) => [
      titled(scenario),
      `${Number(results.value(scenario.name, BASE, 'ms').toPrecision(3))} ms`,
      ...columns.map((peer) => ratio(results.toBase(scenario.name, peer, 'ms'), peer)),
    ]);
  return markdownTable([['', BASE, ...columns], ...rows]);
}

/**
 * Rows, one for each figure that is no ratio of times: the values of the peers that have it. A figure that
 * was not measured has no row.
 *
 * @param chosen pairs of a scenario's name and a metric
 * @param peers the names of the peers to show; a scenario with peers of its own shows those
 */
export function valueTable(scenarios, results, chosen, peers) {
  const rows = chosen.flatMap(([name, metric]) => {
    const scenario = scenarios.find((other) => other.name === name);
    const values = results
      .peers(name)
      .filter((peer) => scenario.peers !== undefined || peers.includes(peer))
      .map((peer) => [peer, results.value(name, peer, metric)])
      .filter(([, value]) => value !== undefined);
    if (values.length === 0) return [];
    const listed = values.map(([peer, value]) => `${peer} ${written(metric, value)}`).join(', ');
    return [[titled(scenario), titleOf(metric), listed]];
  });
  return markdownTable([['', 'figure', 'values'], ...rows], '---');
}

/** Returns a scenario's title with its name, by which `npm run bench -- --only` repeats it. */
function titled({ title, name }) {
  return `${title} (\`${name}\`)`;
}

/** Formats a ratio. The project's own ratios are bold. */
function ratio(value, peer) {
  const text = ratioCell(value);
  return value !== undefined && peer.startsWith('agent-bash') ? `**${text}**` : text;
}

function markdownTable([head, ...rows], alignment = '--:') {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, column) => (column === 0 ? '---' : alignment)).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}
