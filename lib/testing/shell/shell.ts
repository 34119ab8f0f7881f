// The shells of tests, and `withShell()`.

import { resolve } from 'node:path';
import { invalid } from '../../options/checks.ts';
import type { Answer, Match, ShellOptions, TestShell } from '../api.ts';
import { currentScope, inScope, install } from '../double.ts';
import { checkMatch } from '../play/fakes.ts';
import type { ObservedCommand } from '../scope.ts';
import { Scope } from '../scope.ts';
import { checkShell, modeOf } from './options.ts';

/** Runs `act` with a shell of its own, for concurrent tests and any runner. */
export async function withShell<Answer>(
  name: string,
  given: ShellOptions | undefined,
  act: (shell: TestShell) => Promise<Answer>,
): Promise<Answer> {
  if (typeof name !== 'string' || name === '') throw invalid('name', 'the name of a test', name);
  if (typeof act !== 'function') throw invalid('act', 'a function', act);
  const options = checkShell(given);
  if (options.file === undefined && !['fakes', 'live'].includes(modeOf(options.mode))) {
    throw invalid('options.file', 'the path of a cassette', undefined);
  }
  install();
  const record = 'AGENT_BASH_CASSETTES=record, and the test again';
  const place = { name, cassette: resolve(options.file ?? ''), record };
  const scope = new Scope(place, modeOf(options.mode), options);
  let answer: Answer;
  try {
    answer = await inScope(scope, () => act(shellOf(scope)));
  } catch (error) {
    throw scope.finish(false) ?? error;
  }
  const found = scope.finish(true);
  if (found !== null) throw found;
  return answer;
}

/** The commands of a scope, as its shell shows them: the calls are for matchers alone. */
function commandsOf(scope: Scope): TestShell['commands'] {
  return scope.commands.map(({ command, cwd, result }) => ({ command, cwd, result }));
}

function shellOf(scope: Scope): TestShell {
  return Object.defineProperty(
    {
      root: scope.root,
      get commands() {
        return commandsOf(scope);
      },
      fake: (match: Match, ...answers: Answer[]) => scope.fake(match, ...answers),
      childEnv: (name: string) => scope.childEnv(name),
    },
    SCOPE,
    { value: scope },
  );
}

/** The property of a shell that has its scope. */
const SCOPE: unique symbol = Symbol('scope');

/** Returns the shell of whichever test runs. */
export function currentShell(): TestShell {
  return new CurrentShell();
}

class CurrentShell implements TestShell {
  get root(): string {
    return active().root;
  }

  get commands(): TestShell['commands'] {
    return commandsOf(active());
  }

  fake(match: Match, ...answers: Answer[]): void {
    checkMatch('match', match);
    active().fake(match, ...answers);
  }

  childEnv(name: string): Record<string, string> {
    return active().childEnv(name);
  }

  get [SCOPE](): Scope {
    return active();
  }
}

function active(): Scope {
  const scope = currentScope();
  if (scope === undefined) throw new Error('There is no test: use the shell in a test, or in beforeEach()');
  return scope;
}

/** Returns the paths that the commands of a shell have changed; `undefined` without the option `files`. */
export function touchedIn(shell: unknown): string[] | undefined {
  journalOf(shell);
  return (shell as { [SCOPE]: Scope })[SCOPE].touched;
}

/** Returns the commands of a shell, with their calls. */
export function journalOf(shell: unknown): ObservedCommand[] {
  const scope = (shell as { [SCOPE]?: Scope } | null)?.[SCOPE];
  if (scope === undefined) throw invalid('shell', 'what useShell() or withShell() gives', shell);
  return scope.commands;
}
