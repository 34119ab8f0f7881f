import { cpSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RunResult } from '../../types/result.js';
import type { Answer, Match, ShellOptions, TestShell } from '../../types/testing/index.js';
import type { NativeResult, RunSpec } from '../addon/addon-types.ts';
import { environmentNow } from '../options/surroundings/process-environment.ts';
import { runResult } from '../result/result.ts';
import { codedError } from '../support/coded-error.ts';
import type { ActualCall, CallFields } from './cassette/call.ts';
import { differences, fieldsOf } from './cassette/call.ts';
import { Cassette, type Entry } from './cassette/cassette.ts';
import type { ShellFailure, TestPlace } from './cassette/failures.ts';
import * as failures from './cassette/failures.ts';
import type { StoredFile } from './cassette/files.ts';
import { Workspace } from './cassette/files.ts';
import { FIRST_PID, Names, OWN_FILE } from './cassette/names.ts';
import type { Recorded } from './cassette/recorder.ts';
import { secretVariables } from './cassette/secrets.ts';
import { scriptOfEntry, storedEnd, storedEvents, storedUsage } from './cassette/stored.ts';
import type { Clock } from './play/clock.ts';
import { GlobalClock, VirtualClock } from './play/clock.ts';
import { Fakes } from './play/fakes.ts';
import type { Player } from './play/player.ts';
import type { Script, ScriptEnd } from './play/script.ts';
import { refusal, scriptOf } from './play/script.ts';
import { makeTemporary } from './temporary.ts';

/** What a scope does with commands: `auto` has become `record` or `replay`. */
export type ScopeMode = 'record' | 'replay' | 'fakes' | 'live';

/** The notes about one command of a test. */
export interface Journal {
  recorded: Recorded;
  /** The entry that answers the command, if one does. */
  entry: Entry | undefined;
  end(native: NativeResult): void;
}

/** A command as a test sees it, with its call for matchers. */
export interface Command {
  command: string;
  cwd: string;
  result: RunResult | null;
  call: ActualCall;
}

/** The shell of one test. */
export class Scope implements Omit<TestShell, 'commands'> {
  readonly mode: ScopeMode;
  readonly clock: Clock;
  readonly root: string;
  readonly commands: Command[] = [];
  #place: TestPlace;
  #options: ShellOptions;
  #cassette: Cassette;
  /** The name of the section. */
  #section: string;
  #entries: Entry[];
  #used = new Set<Entry>();
  #recorded: Recorded[] = [];
  #journals: Journal[] = [];
  #fakes = new Fakes();
  #failures: ShellFailure[] = [];
  #secrets: Map<string, string>;
  #names: Names;
  #copy: string | undefined;
  #players = new Set<Player>();
  #workspace: Workspace | undefined;
  #sessions = 0;
  #nextPid = 1;

  constructor(place: TestPlace, mode: ScopeMode | 'auto', options: ShellOptions) {
    this.#place = place;
    this.#options = options;
    this.#cassette = new Cassette(place.cassette);
    this.#secrets = secretVariables(environmentNow());
    this.root = this.#rootOf(options.project);
    this.#names = new Names({ root: this.root, holes: options.holes ?? {}, secrets: this.#secrets });
    // A test of each of some values may have one in its name.
    this.#section = this.#names.withoutSecrets(place.name);
    const section = this.#cassette.section(this.#section);
    this.mode = mode === 'auto' ? (section === undefined ? 'record' : 'replay') : mode;
    this.#entries = this.mode === 'replay' ? (section ?? []) : [];
    if (options.files && this.mode !== 'live') this.#workspace = new Workspace(this.root);
    this.clock = options.time === 'timers' ? new GlobalClock() : new VirtualClock();
    for (const { pid } of this.#entries) if (pid !== undefined) this.#names.addPid(pid, FIRST_PID + pid);
  }

  /** Whether no command of the test runs. */
  get isReplayed(): boolean {
    return this.mode === 'replay' || this.mode === 'fakes';
  }

  fake(match: Match, ...answers: Answer[]): void {
    this.#fakes.add(match, answers);
  }

  /** Returns whether a command runs, and is recorded. */
  records(call: ActualCall): boolean {
    return this.mode === 'record' && this.#fakes.find(call) === undefined;
  }

  nextSession(): number {
    return ++this.#sessions;
  }

  /** Adds a command to the journal. */
  begin(call: ActualCall, files: string[]): Journal {
    const command: Command = { command: call.command, cwd: call.cwd, result: null, call };
    // This package's own commands, such as one that saves the state of a shell, are none of the test's.
    if (call.command.search(OWN_FILE) < 0) this.commands.push(command);
    const recorded: Recorded = { call, events: [], notes: {}, files };
    const journal: Journal = {
      recorded,
      entry: undefined,
      end: (native) => {
        const { command: text, cwd } = command;
        const copy = { ...native, decision: undefined };
        command.result = runResult(copy, { command: text, cwd: native.cwd || cwd }, null) as RunResult;
      },
    };
    if (this.records(call)) this.#recorded.push(recorded);
    this.#journals.push(journal);
    return journal;
  }

  /** Adds a command that is played: it ends with the test. */
  add(player: Player): void {
    this.#players.add(player);
  }

  /** Forgets a command that the addon refused. */
  drop(recorded: Recorded): void {
    this.#recorded = this.#recorded.filter((other) => other !== recorded);
  }

  /** Returns the script of a command: a fake's, or that of the cassette. */
  script(call: ActualCall, journal: Journal): Script | Promise<Script> {
    const pid = FIRST_PID + 2 ** 20 + this.#nextPid++;
    const fake = this.#fakes.find(call);
    if (fake !== undefined) {
      const program = call.argv?.[0] ?? call.shell?.[0] ?? '/bin/bash';
      const failed = (error: unknown) => this.#fail(failures.fakeFailed(this.#place, call.command, error));
      try {
        const answer = this.#fakes.answer(fake, call);
        if (!(answer instanceof Promise)) return scriptOf(answer, pid, program);
        return answer.then((ready) => scriptOf(ready, pid, program)).catch(failed);
      } catch (error) {
        return failed(error);
      }
    }
    const actual = this.#fieldsOf(call);
    if (this.mode === 'fakes') return this.#fail(failures.fakeMissing(this.#place, actual));
    if (this.#cassette.section(this.#section) === undefined) return this.#fail(failures.missing(this.#place));
    const entry = this.#match(actual, call);
    if (entry === undefined) return this.#fail(this.#missOf(actual, call));
    this.#used.add(entry);
    journal.entry = entry;
    const line = this.#lineOf(entry);
    return scriptOfEntry(entry, `${failures.shown(this.#place.cassette)}:${line}`, this.#names);
  }

  otherInput(job: string, place: string, expected: string, actual: string): void {
    this.#failures.push(failures.otherInput(this.#place, job, place, expected, actual));
  }

  tooLong(call: ActualCall): void {
    this.#failures.push(failures.tooLong(this.#place, call.command));
  }

  /** Notes what a command has changed below the root. */
  noteChanges(recorded: Recorded): void {
    const changes = this.#workspace?.changes() ?? [];
    if (changes.length > 0) recorded.changes = changes;
  }

  /** Makes the changes of a command that did not run. */
  apply(files: StoredFile[] | undefined): void {
    if (files === undefined || files.length === 0) return;
    try {
      const fault = this.#needWorkspace().apply(files);
      const project = this.#options.project ?? '';
      if (fault !== null) this.#failures.push(failures.otherFile(this.#place, fault, project));
    } catch (error) {
      this.#failures.push(error as ShellFailure);
    }
  }

  /** The paths that commands have changed; `undefined` without the option `files`. */
  get touched(): string[] | undefined {
    return this.#workspace && [...this.#workspace.touched].sort();
  }

  #needWorkspace(): Workspace {
    if (this.#workspace !== undefined) return this.#workspace;
    const message = 'a command changes files: give useShell() the options project and files';
    throw codedError('FILES_NEEDED', message);
  }

  /** Returns the spec of a recorded command in the sandbox that the test has for those without one. */
  inSandbox(spec: RunSpec): RunSpec {
    const { sandbox } = this.#options;
    if (sandbox === undefined || spec.surroundings.sandbox !== undefined) return spec;
    const root = spec.surroundings.root ?? this.root;
    const surroundings = { ...spec.surroundings, root, sandbox: JSON.stringify(sandbox) };
    return { ...spec, surroundings };
  }

  /** Returns what a command wrote to a file that it shares with this package. */
  note(path: string, read: () => string | undefined): string | undefined {
    const directory = dirname(path);
    const journal = this.#journals.findLast(({ recorded }) => recorded.files.includes(directory));
    // The number in the name is another one in each run, and may be in the content too.
    const [number = NO_NUMBER] = /\d+/.exec(path.slice(directory.length)) ?? [];
    const name = path.slice(directory.length + 1).replace(/-?\d+/g, '');
    if (journal === undefined || this.mode === 'live') return read();
    if (journal.entry !== undefined) {
      const stored = journal.entry.notes?.[name];
      return stored === undefined ? undefined : this.#names.actual(stored).replaceAll('<number>', number);
    }
    const text = read();
    if (text !== undefined) journal.recorded.notes[name] = text.replaceAll(number, '<number>');
    return text;
  }

  /**
   * Ends the test: writes its section if it passed. Returns the failure of the shell, if there is one. Idempotent.
   */
  finish(hasPassed: boolean): ShellFailure | null {
    try {
      if (hasPassed && this.#failures.length === 0) this.#conclude();
    } catch (error) {
      this.#failures.push(error as ShellFailure);
    } finally {
      for (const player of this.#players) player.stop('aborted', 'SIGTERM');
      if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true });
    }
    const found = this.#failures.splice(0);
    return found.length === 0 ? null : failures.together(found);
  }

  #conclude(): void {
    if (this.mode === 'record') {
      const entries = this.#recorded.map((recorded) => this.#entryOf(recorded));
      const isNew = this.#cassette.section(this.#section) !== undefined || entries.length > 0;
      if (isNew) this.#cassette.write(this.#section, entries, (text) => this.#refuseSecrets(text));
    } else if (this.mode === 'replay' && this.#options.unused !== 'allow') {
      const left = this.#entries.filter((entry) => !this.#used.has(entry));
      if (left.length === 0) return;
      const lines = left.map((entry) => ({ fields: entry as CallFields, line: this.#lineOf(entry) }));
      throw failures.unused(this.#place, this.#entries.length, lines);
    }
  }

  #entryOf(recorded: Recorded): Entry {
    // A command that outlives the test ends with it in a replay too.
    const { call, events, end = UNENDED, notes } = recorded;
    const redact = this.#options.redact ?? ((text: string) => text);
    const fields = this.#fieldsOf(call);
    const number = this.#nextPid++;
    const pid = end.pid ?? recorded.pid;
    if (pid !== undefined) this.#names.addPid(number, pid);
    const entry: Entry = {
      ...fields,
      ...(pid !== undefined && { pid: number }),
      events: storedEvents(events, this.#names, redact),
      end: storedEnd(end, this.#names),
    };
    const usage = storedUsage(end.usage);
    if (usage !== undefined) entry.usage = usage;
    const { changes } = recorded;
    if (changes !== undefined) entry.files = this.#storedChanges(changes, redact);
    const texts = Object.entries(notes).map(([name, text]) => [name, redact(this.#names.stored(text))]);
    if (texts.length > 0) entry.notes = Object.fromEntries(texts);
    return entry;
  }

  /** Returns the stored form of changes. A secret may have several lines. */
  #storedChanges(changes: StoredFile[], redact: (text: string) => string): StoredFile[] {
    const lines = changes.filter((each) => typeof each === 'string');
    const stored = this.#names
      .storedParts(lines.map((line) => `${line}\n`))
      .map((line) => line.replace(/\n$/, ''));
    const others = changes.filter((each) => typeof each !== 'string');
    return [...stored.filter((line) => line !== '').map(redact), ...others];
  }

  /** Returns a call as it is stored. */
  #fieldsOf(call: ActualCall): CallFields {
    const fields = fieldsOf(call, this.#names);
    const { redact } = this.#options;
    if (redact === undefined) return fields;
    return JSON.parse(JSON.stringify(fields), (_, value) =>
      typeof value === 'string' ? redact(value) : value,
    );
  }

  #refuseSecrets(text: string): void {
    for (const [value, name] of this.#secrets) {
      const stored = JSON.stringify(value).slice(1, -1);
      if (text.includes(stored)) throw failures.secretFound(this.#place, name);
    }
  }

  #match(actual: CallFields, call: ActualCall): Entry | undefined {
    const left = this.#entries.filter((entry) => !this.#used.has(entry));
    const candidates = this.#options.order === 'strict' ? left.slice(0, 1) : left;
    return candidates.find((entry) => {
      const isSame = differences(callFields(entry), actual, this.#names, call.shell).length === 0;
      return isSame && this.#names.bind(textsOf(callFields(entry)), rawTexts(call));
    });
  }

  #missOf(actual: CallFields, call: ActualCall): ShellFailure {
    const left = this.#entries.filter((entry) => !this.#used.has(entry));
    const ranked = left
      .map((entry) => ({
        entry,
        differences: differences(callFields(entry), actual, this.#names, call.shell),
        distance: distance(failures.textOf(entry.run), failures.textOf(actual.run)),
      }))
      .sort(
        (one, other) => one.distance - other.distance || one.differences.length - other.differences.length,
      );
    const [best] = ranked;
    const nearest = best && {
      fields: callFields(best.entry),
      line: this.#lineOf(best.entry),
      differences: best.differences,
    };
    return failures.miss(this.#place, actual, nearest);
  }

  #lineOf(entry: Entry): number {
    return this.#cassette.line(this.#section, this.#entries.indexOf(entry));
  }

  #fail(failure: ShellFailure): Script {
    this.#failures.push(failure);
    return refusal(failure.code, failure.message);
  }

  #rootOf(project: string | undefined): string {
    if (project === undefined) return process.cwd();
    this.#copy = makeTemporary('agent-bash-test-');
    const root = join(this.#copy, 'project');
    cpSync(resolve(project), root, { recursive: true, verbatimSymlinks: true });
    return root;
  }
}

/** The end of a command that was not over at the end of its test. */
const UNENDED: ScriptEnd = { at: 'never', status: 'aborted', signal: 'SIGTERM', own: {} };

/** What stands in no content, for a file without a number in its name. */
const NO_NUMBER = '\0';

/** Returns the fields of an entry that are compared. */
function callFields(entry: Entry): CallFields {
  const {
    pid: _,
    events: __,
    end: ___,
    usage: ____,
    exact: _____,
    notes: ______,
    files: _______,
    ...fields
  } = entry;
  return fields as CallFields;
}

/** Returns the texts of a stored call in which names can be. */
function textsOf({ run, cwd, env, input }: CallFields): string {
  const variables = Object.values((env ?? {}) as Record<string, string>);
  const command = typeof run === 'string' ? [run] : run;
  return [...command, cwd, ...variables, typeof input === 'string' ? input : ''].join('\0');
}

/** Returns the same texts of a call before it is stored. */
function rawTexts({ command, argv, cwd, env, input }: ActualCall): string {
  const text = typeof input === 'string' ? input : '';
  return [...(argv ?? [command]), cwd, ...Object.values(env), text].join('\0');
}

/** Returns how far two commands are apart: by the words that only one of them has. */
function distance(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => text.split(/\s+/));
  const common = first.filter((word) => second.includes(word)).length;
  return first.length + second.length - 2 * common;
}
