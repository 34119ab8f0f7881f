// `agent-bash call DIALECT --params JSON`: one call of a dialect's main tool, for programs that start tools
// as commands.

import { constants } from 'node:os';
import type { Dialect } from 'agent-bash/tools';
import { createTool } from 'agent-bash/tools';
import type { CommandValues, OptionTable } from '../arguments.ts';
import {
  COMMAND_OPTIONS,
  commandOptionsOf,
  defined,
  readOptions,
  UsageError,
  withFlags,
} from '../arguments.ts';
import { interrupted } from '../interrupted.ts';
import type { TargetValues } from '../options/target.ts';
import { TARGET_OPTIONS, targetOf } from '../options/target.ts';

interface CallValues extends CommandValues, TargetValues {
  params?: string;
  compat?: string;
}

const OPTIONS: OptionTable<CallValues> = {
  ...COMMAND_OPTIONS,
  ...TARGET_OPTIONS,
  params: {},
  compat: {},
};

/** Converts the command line of rye-os's `bash.py` to one of `call`. */
function ryeArguments(words: string[]): string[] {
  const own = words.map((word) => word.replace(/^--project-path(?==|$)/, '--root'));
  return ['rye', '--compat', 'json', ...own];
}

/** Implements `agent-bash call DIALECT --params JSON`. Returns 0 if it has printed an answer. */
async function call(words: string[]): Promise<number> {
  const { values, words: rest } = readOptions('call', words, OPTIONS);
  const [dialect, more] = rest;
  if (dialect === undefined) throw new UsageError('no dialect, such as rye; see docs/tools.md', 'call');
  if (more !== undefined) throw new UsageError(`unexpected '${more}'`, 'call');
  const params = parameters(await textOf(values.params));
  const signal = interrupted();
  const tool = withFlags('call', () =>
    createTool(dialect as Dialect, {
      ...commandOptionsOf('call', values),
      ...defined({
        target: targetOf('call', values),
        compat: values.compat === 'all' ? true : values.compat,
      }),
    }),
  );
  try {
    const { text } = await tool.execute(params, { signal });
    if (signal.aborted) return 128 + constants.signals[signal.reason as NodeJS.Signals];
    process.stdout.write(`${text}\n`);
    return 0;
  } finally {
    await tool[Symbol.asyncDispose]();
  }
}

async function textOf(given: string | undefined): Promise<string | undefined> {
  if (given !== '-') return given;
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** @throws UsageError */
function parameters(text: string | undefined): object {
  if (text === undefined) throw new UsageError("--params is missing: the call's arguments as JSON", 'call');
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch {}
  if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params;
  throw new UsageError(`invalid value '${text}' for --params: expected a JSON object`, 'call');
}

export { call as act, OPTIONS, ryeArguments };
