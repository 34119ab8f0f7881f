import { isDeepStrictEqual } from 'node:util';
import { invalid, isRecord } from '../options/checks.ts';
import type * as Api from './api.ts';
import type { Match } from './api.ts';
import { checkMatch, matchesSome } from './play/fakes.ts';
import type { ObservedCommand } from './scope.ts';
import { journalOf, touchedIn } from './shell/shell.ts';

interface Verdict {
  pass: boolean;
  message: () => string;
}

/** Matchers for `expect.extend()` of vitest and jest. */
export const matchers: (typeof Api)['matchers'] = {
  toHaveRun(shell: unknown, match: Match, options?: { times?: number }): Verdict {
    checkMatch('match', match);
    const commands = journalOf(shell);
    const count = commands.filter(({ call }) => matchesSome(match, call)).length;
    const times = options?.times;
    const wanted = times === undefined ? '' : ` ${times} times`;
    return {
      pass: times === undefined ? count > 0 : count === times,
      message: () => `expected a command like ${shown(match)}${wanted}, and ${count} ran\n${list(commands)}`,
    };
  },

  toHaveRunInOrder(shell: unknown, matches: Match[]): Verdict {
    if (!Array.isArray(matches)) throw invalid('matches', 'a list of patterns', matches);
    const commands = journalOf(shell);
    let at = 0;
    let missed: Match | undefined;
    for (const match of matches) {
      checkMatch('match', match);
      // Several commands of one line may match one after another.
      const found = commands.findIndex(({ call }, index) => index >= at && matchesSome(match, call));
      if (found < 0) {
        missed = match;
        break;
      }
      at = found;
    }
    const after = at > 0 ? ` after ${commands[at].command}` : '';
    return {
      pass: missed === undefined,
      message: () =>
        missed === undefined
          ? `expected no commands in this order: ${matches.map(shown).join(', ')}\n${list(commands)}`
          : `expected a command like ${shown(missed)}${after}\n${list(commands)}`,
    };
  },

  toHaveTouched(shell: unknown, paths: string[]): Verdict {
    if (!Array.isArray(paths)) throw invalid('paths', 'a list of paths', paths);
    const touched = touchedIn(shell);
    if (touched === undefined) throw invalid('shell', 'one with the option files', shell);
    return {
      pass: isDeepStrictEqual([...new Set(paths)].sort(), touched),
      message: () =>
        `expected changes of ${shownList(paths)}, and the commands changed ${shownList(touched)}`,
    };
  },
} as never;

function shownList(paths: string[]): string {
  return paths.length === 0 ? 'no file' : paths.join(', ');
}

function shown(match: Match): string {
  return typeof match === 'string' ? JSON.stringify(match) : String(match);
}

function list(commands: ObservedCommand[]): string {
  if (commands.length === 0) return 'No command has run.';
  return `Commands that have run:\n${commands.map(({ command }) => `    ${command}`).join('\n')}`;
}

/** The serializer of results for snapshots: hides what differs between two runs. */
export const resultSerializer: (typeof Api)['resultSerializer'] = {
  test(value: unknown): boolean {
    return (
      isRecord(value) &&
      !(HIDDEN in value) &&
      'totalBytes' in value &&
      'durationMs' in value &&
      'exitCode' in value
    );
  },
  serialize(
    value: unknown,
    config: unknown,
    indentation: string,
    depth: number,
    refs: unknown[],
    printer: (value: unknown, config: unknown, indentation: string, depth: number, refs: unknown[]) => string,
  ): string {
    return printer(hidden(value as Record<string, unknown>), config, indentation, depth, refs);
  },
};

/** Marks a copy that is serialized, so that it is not serialized again. */
const HIDDEN: unique symbol = Symbol('hidden');

function hidden(result: Record<string, unknown>): Record<string, unknown> {
  const paths: [string, string][] = [[process.cwd(), '<root>']];
  const path = (text: unknown) =>
    typeof text === 'string' ? paths.reduce((all, [from, to]) => all.replaceAll(from, to), text) : text;
  const copy = Object.fromEntries(Object.entries(result).map(([name, value]) => [name, path(value)]));
  for (const name of ['pid', 'processGroup', 'spillPath', 'spill'])
    if (copy[name] != null) copy[name] = `<${name}>`;
  if (Array.isArray(copy.backgroundPids)) copy.backgroundPids = copy.backgroundPids.map(() => '<pid>');
  copy.durationMs = '<ms>';
  if (copy.usage != null) copy.usage = '<usage>';
  return Object.defineProperty(copy, HIDDEN, { value: true });
}
