// The list of durable jobs for people.

import type { DurableInfo } from 'agent-bash';
import { lostText, stateOf } from '../../durable/texts.ts';
import { colorsFor, visibleLine } from '../colors.ts';

/** Returns two lines for each job: its id, name and state, and what it is. */
function linesOf(jobs: DurableInfo[]): string {
  const { bold, dim } = colorsFor(process.stdout);
  const lines = jobs.map((info) => {
    const { id, name, command, cwd, end } = info;
    const state = end?.cause === 'lost' ? lostText(info) : stateOf(info);
    const title = [bold(id), ...(name === null ? [] : [visibleLine(name)]), state].join('  ');
    return `${title}\n  ${visibleLine(command)}  ${dim(`in ${visibleLine(cwd)}`)}\n`;
  });
  return lines.join('');
}

export { linesOf };
