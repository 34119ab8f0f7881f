// The figures as tables of Markdown.

import { GOALS } from '../goals.mjs';
import { BASE, LIMIT_NAME, PEERS } from './peers.mjs';
import { goalRows, ratioCell, scenarioRows } from './report.mjs';

/** One line for each scenario: the ratios to child_process, and its own time, which says what they mean. */
export function ratioTable(scenarios, results) {
  const timed = scenarios.filter(({ metrics }) => metrics[0] === 'ms');
  const columns = [LIMIT_NAME, ...PEERS.map(({ name }) => name)].filter(
    (peer) => peer !== BASE && timed.some(({ name }) => results.toBase(name, peer, 'ms') !== undefined),
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

/** Everything: each scenario with all of its figures, and the goals. */
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

/** The project's own are what one looks for. */
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
