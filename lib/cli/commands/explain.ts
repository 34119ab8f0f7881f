// `agent-bash explain CODE …`: what a code or status means, from the tables of docs/.

import { getSystemErrorMap } from 'node:util';
import { nearestName } from '../../support/nearest-name.ts';
import type { OptionTable } from '../arguments.ts';
import { readOptions, UsageError } from '../arguments.ts';
import type { Explanation } from '../explanations.ts';
import { explanations } from '../explanations.ts';

const OPTIONS: OptionTable<object> = {};

/** Implements `agent-bash explain CODE …`. Returns the exit code. */
async function explain(words: string[]): Promise<number> {
  const { words: codes } = readOptions('explain', words, OPTIONS);
  if (codes.length === 0) throw new UsageError('expected a code or a status, such as CWD_MISSING', 'explain');
  const all = explanations();
  process.stdout.write(codes.flatMap((code) => textsOf(code, all)).join('\n'));
  return 0;
}

function textsOf(code: string, all: Explanation[]): string[] {
  const texts = all.filter(({ codes }) => codes.includes(code)).map(shown);
  const system = systemMessage(code);
  if (system !== undefined) texts.unshift(`the system: ${system}\n`);
  if (texts.length === 0) throw unknown(code, all);
  return texts;
}

function shown({ facts, place }: Explanation): string {
  return `${facts.map(([name, text]) => `${name}: ${text}\n`).join('')}  ${place}\n`;
}

/** Returns what the system says about a code of its own, such as `ENOSPC`. */
function systemMessage(code: string): string | undefined {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1];
}

function unknown(code: string, all: Explanation[]): UsageError {
  const known = [...new Set(all.flatMap(({ codes }) => codes))];
  const meant = nearestName(code.toUpperCase(), known) ?? nearestName(code, known);
  const hint = meant === undefined ? 'docs/errors.md lists them' : `did you mean '${meant}'?`;
  return new UsageError(`unknown code '${code}'; ${hint}`, 'explain');
}

export { explain as act, OPTIONS };
