// The shells of tests: `withShell()`, and what the runners' `useShell()` is made of.

import { basename, dirname, join } from 'node:path';
import type { Answer, Match, Mode, ShellOptions, TestShell } from '../../types/testing/index.js';
import { failure } from '../addon/native.ts';
import { boolean, callback, invalid, isRecord, object, oneOf } from '../options/checks.ts';
import type { TestPlace } from './cassette/failures.ts';
import { currentScope, inScope, install, setScope } from './double.ts';
import { checkMatch } from './play/fakes.ts';
import type { Command, ScopeMode } from './scope.ts';
import { Scope } from './scope.ts';

/** A test of a runner. */
export interface RunnersTest {
  /** The path of its file. */
  file: string;
  /** Its name, with those of its groups. */
  name: string;
  /** The command that runs the test again, without the environment. */
  again: string;
}

const MODES = ['auto', 'record', 'replay', 'fakes', 'live'] as const;
const KNOWN = [
  'mode',
  'file',
  'project',
  'files',
  'order',
  'unused',
  'holes',
  'redact',
  'time',
  'sandbox',
] as const;

/** Returns checked options. */
export function checkShell(given: unknown = {}): ShellOptions {
  const options = object('options', given, KNOWN);
  oneOf('options.mode', options.mode, MODES);
  oneOf('options.order', options.order, ['each', 'strict']);
  oneOf('options.unused', options.unused, ['fail', 'allow']);
  oneOf('options.time', options.time, ['virtual', 'timers']);
  callback('options.redact', options.redact);
  if (boolean('options.files', options.files) && options.project === undefined) {
    throw invalid('options.project', 'a directory next to files, which is copied for each test', undefined);
  }
  for (const name of ['file', 'project'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'string') throw invalid(`options.${name}`, 'a path', value);
  }
  const { holes } = options;
  const isHoles =
    holes === undefined || (isRecord(holes) && Object.values(holes).every((hole) => hole instanceof RegExp));
  if (!isHoles) throw invalid('options.holes', 'an object of regular expressions', holes);
  return options as ShellOptions;
}

/** Begins a test with a shell. */
export function beginTest(test: RunnersTest, options: ShellOptions): Scope {
  install();
  const scope = new Scope(placeOf(test, options), modeOf(options.mode), options);
  setScope(scope);
  return scope;
}

/** Ends the current test of a runner. Throws the failure of its shell. */
export function endTest(scope: Scope, hasPassed: boolean): void {
  setScope(undefined);
  const found = scope.finish(hasPassed);
  if (found !== null) throw found;
}

/** Returns the shell of the current test of a runner: one object for all tests of a file. */
export function currentShell(): TestShell {
  return new CurrentShell();
}

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
  const file = options.file ?? join(process.cwd(), 'test.json');
  const place = { name, cassette: join(file), record: 'AGENT_BASH_CASSETTES=record, and the test again' };
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

function placeOf(test: RunnersTest, { file }: ShellOptions): TestPlace {
  const own = join(dirname(test.file), '__cassettes__', `${basename(test.file)}.json`);
  return {
    name: test.name,
    cassette: file === undefined ? own : join(dirname(test.file), file),
    record: `AGENT_BASH_CASSETTES=record ${test.again}`,
  };
}

/** Returns the mode of a test: that of the environment, of its options, or of the machine. */
function modeOf(mode: Mode | undefined): ScopeMode | 'auto' {
  if (mode === 'fakes') return mode;
  const forced = process.env.AGENT_BASH_CASSETTES;
  if (forced) {
    const known = MODES.find((name) => name === forced);
    if (known === undefined) throw invalid('AGENT_BASH_CASSETTES', MODES.join(', '), forced);
    return known;
  }
  const usual = process.env.CI || failure !== null ? 'replay' : 'auto';
  return mode ?? usual;
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
    },
    SCOPE,
    { value: scope },
  );
}

/** The property of a shell that has its scope. */
const SCOPE: unique symbol = Symbol('scope');

/** The shell of whichever test runs. */
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
export function journalOf(shell: unknown): Command[] {
  const scope = (shell as { [SCOPE]?: Scope } | null)?.[SCOPE];
  if (scope === undefined) throw invalid('shell', 'what useShell() or withShell() gives', shell);
  return scope.commands;
}
