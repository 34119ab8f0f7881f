import type { Decision, Policy, Verdict } from 'agent-bash';
import { check, explainDecision } from 'agent-bash';
import type { CommandValues, OptionTable } from '../arguments.ts';
import {
  COMMAND_OPTIONS,
  choice,
  commandOptionsOf,
  defined,
  readOptions,
  UsageError,
  withFlags,
} from '../arguments.ts';
import type { Colors } from '../colors.ts';
import { colorsFor } from '../colors.ts';

interface CheckValues extends Pick<CommandValues, 'root' | 'cwd' | 'env' | 'noInheritEnv' | 'shell'> {
  mode?: string;
  allow?: string[];
  ask?: string[];
  deny?: string[];
  json?: boolean;
}

const { root, cwd, env, 'no-inherit-env': noInheritEnv, shell } = COMMAND_OPTIONS;
const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'strict', 'readOnly'];

const OPTIONS: OptionTable<CheckValues> = {
  ...{ root, cwd, env, 'no-inherit-env': noInheritEnv, shell },
  mode: { read: choice(...MODES) },
  allow: { multiple: true },
  ask: { multiple: true },
  deny: { multiple: true },
  json: { type: 'boolean' },
};

/** Exit codes: 1 and 2 are those of errors. */
const EXIT_CODE: Record<Verdict, number> = { allow: 0, ask: 3, deny: 4 };
const COLOR: Record<string, keyof Colors> = { allow: 'green', ask: 'yellow', deny: 'red' };

/** Implements `agent-bash check [options] -- command`. Returns the exit code, which is the verdict. */
async function checkCommandLine(words: string[]): Promise<number> {
  const { values, words: command } = readOptions('check', words, OPTIONS);
  if (command.length === 0) throw new UsageError('no command; write it behind --', 'check');
  const { mode, allow, ask, deny, json, ...place } = values;
  // As in a toolset and in `agent-bash mcp`, known queries need no rule.
  const policy: Policy = { ...(defined({ mode, allow, ask, deny }) as Policy), queries: 'allow' };
  const options = { ...commandOptionsOf('check', place), policy };
  const decision = withFlags('check', () => check(command.length === 1 ? command[0] : command, options));
  process.stdout.write(json ? `${JSON.stringify(decision, null, 2)}\n` : `${shown(decision)}\n`);
  return EXIT_CODE[decision.verdict];
}

function shown(decision: Decision): string {
  const colors = colorsFor(process.stdout);
  const verdict = (_: string, before: string, word: string) => `${before}${colors[COLOR[word]](word)}`;
  return explainDecision(decision).replace(/^( *)(allow|ask|deny)\b/gm, verdict);
}

export { checkCommandLine as act, OPTIONS };
