import { afterAll, describe, expect, it } from 'vitest';
import { jobs, type RunOptions, run } from '../../index.js';
import type { Comparison } from './commands.js';
import { FAILURES, PROGRAMS, SHELL } from './commands.js';
import { outcomeOf, wholeOutcome } from './outcome.js';

afterAll(() => jobs.dispose());

const shown = ({ command, options, result }: Comparison): string => {
  const words =
    typeof command === 'string' ? command : command.slice(command[0] === process.execPath ? 2 : 0);
  const more = typeof options === 'object' ? ` ${Object.keys(options).join(' ')}` : '';
  return `${JSON.stringify(words).slice(0, 80)}${more}: ${result.status ?? 'exited'}`;
};

/** A row for `it.each`: the title, and the case. */
const rows = (cases: Comparison[]): Array<[string, Comparison]> => cases.map((one) => [shown(one), one]);

async function compare({ command, options = {}, result, onWindows }: Comparison): Promise<void> {
  const given: RunOptions = typeof options === 'function' ? options() : options;
  const { why: _, ...different } = (process.platform === 'win32' && onWindows) || { why: '' };
  expect(outcomeOf(await run(command, given))).toEqual(wholeOutcome({ ...result, ...different }));
}

describe('a result is the same on Linux and Windows', () => {
  it.each(rows(SHELL))('of a command line: %s', (_, one) => compare(one));
  it.each(rows(PROGRAMS))('of a program: %s', (_, one) => compare(one));
  it.each(rows(FAILURES))('of a command that may not or can not start: %s', (_, one) => compare(one));
});
