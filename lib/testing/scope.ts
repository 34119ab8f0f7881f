import { cpSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { NativeResult, RunSpec } from '../addon/addon-types.ts';
import { environmentNow } from '../options/surroundings/environment/process-environment.ts';
import type { RunResult } from '../result/api.ts';
import { runResult } from '../result/result.ts';
import { codedError } from '../support/coded-error.ts';
import type { Answer, Match, ShellOptions, TestShell } from './api.ts';
import type { ActualCall } from './cassette/call.ts';
import type { CassetteEntry } from './cassette/cassette.ts';
import type { ShellFailure, TestPlace } from './cassette/failures.ts';
import * as failures from './cassette/failures.ts';
import type { StoredFile } from './cassette/files.ts';
import { Workspace } from './cassette/files.ts';
import type { OverlayAnswer } from './cassette/questions.ts';
import { answerOf, OverlayNames, questionOf } from './cassette/questions.ts';
import type { RecordedCommand } from './cassette/recorder.ts';
import type { Section } from './cassette/section.ts';
import { Storage } from './cassette/storage.ts';
import { actualFiles, scriptOfEntry } from './cassette/stored.ts';
import type { ChildReport } from './children/children.ts';
import { Children, failuresOf } from './children/children.ts';
import { FIRST_PID, Names } from './names/names.ts';
import { secretVariables } from './names/secrets.ts';
import { OWN_FILE } from './names/spans.ts';
import type { Clock } from './play/clock.ts';
import { GlobalClock, VirtualClock } from './play/clock.ts';
import { Fakes } from './play/fakes.ts';
import type { Player } from './play/player.ts';
import type { Script } from './play/script.ts';
import { refusal, scriptOf } from './play/script.ts';
import { makeTemporary } from './temporary.ts';
import { TestFiles } from './test-files.ts';

/** The treatment of commands by a scope: `auto` has become `record` or `replay`. */
export type ScopeMode = 'record' | 'replay' | 'fakes' | 'live';

/** The notes about one command of a test. */
export interface Journal {
  recorded: RecordedCommand;
  /** The entry that answers the command, if one does. */
  entry: CassetteEntry | undefined;
  end(native: NativeResult): void;
}

/** A command as a test sees it, with its call for matchers. */
export interface ObservedCommand {
  command: string;
  cwd: string;
  result: RunResult | null;
  call: ActualCall;
}

/** A shell during one test: decides for each command whether it runs, is recorded or is played. */
export class Scope implements Omit<TestShell, 'commands'> {
  readonly mode: ScopeMode;
  readonly clock: Clock;
  readonly root: string;
  readonly commands: ObservedCommand[] = [];
  readonly files: TestFiles;
  readonly overlays: OverlayNames = new OverlayNames();
  /** Whether what the addon answers may be stored. */
  #mayStore: boolean;
  #place: TestPlace;
  #options: ShellOptions;
  #section: Section;
  #recorded: RecordedCommand[] = [];
  #journals: Journal[] = [];
  #fakes = new Fakes();
  #failures: ShellFailure[] = [];
  #names: Names;
  #storage: Storage;
  #copy: string | undefined;
  #players = new Set<Player>();
  #workspace: Workspace | undefined;
  #sessions = 0;
  #nextPid = 1;
  #children: Children | undefined;
  /** Is called after each change of {@link report}. */
  onChange: () => void = () => {};

  /** @param root that of the test, for one of its children */
  constructor(place: TestPlace, mode: ScopeMode | 'auto', options: ShellOptions, root?: string) {
    this.#place = place;
    this.#options = options;
    const secrets = secretVariables(environmentNow());
    this.root = root ?? this.#rootOf(options.project);
    this.#names = new Names({ root: this.root, holes: options.holes ?? {}, secrets });
    this.#storage = new Storage(this.#names, secrets, options.redact);
    this.#mayStore = mode === 'auto' || mode === 'record';
    this.files = new TestFiles({
      place,
      hasCassette: mode !== 'fakes' && mode !== 'live',
      options,
      names: this.#names,
      storage: this.#storage,
      onCollect: () => this.onChange(),
      onMissing: (question, file, cause) => this.#failWithoutAddon(question, file, cause),
    });
    this.#section = this.files.section;
    this.mode = mode === 'auto' ? (this.#section.isThere ? 'replay' : 'record') : mode;
    if (options.files && this.mode !== 'live') this.#workspace = new Workspace(this.root);
    this.clock = options.time === 'timers' ? new GlobalClock() : new VirtualClock();
    if (root === undefined) this.#children = this.#newChildren(place);
    if (this.mode !== 'replay') return;
    for (const { pid } of this.#section.entries) {
      if (pid !== undefined) this.#names.addPid(pid, FIRST_PID + pid);
    }
  }

  /** Whether no command of the test runs. */
  get isReplayed(): boolean {
    return this.mode === 'replay' || this.mode === 'fakes';
  }

  get section(): string {
    return this.#section.name;
  }

  childEnv(name: string): Record<string, string> {
    return this.#children?.env(name) ?? {};
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

  /** Answers a question to an overlay, which `act` asks where commands run. */
  async ask(words: string[], act: (() => Promise<OverlayAnswer>) | null): Promise<OverlayAnswer> {
    const call = questionOf(words);
    if (act === null) return this.#answer(call);
    this.#separateChanges();
    const recorded: RecordedCommand = { call, events: [], notes: {}, files: [], isQuestion: true };
    this.#recorded.push(recorded);
    recorded.answer = await act();
    this.recordChanges(recorded);
    this.onChange();
    return recorded.answer;
  }

  #answer(call: ActualCall): OverlayAnswer {
    if (this.mode === 'fakes') return { changes: [], conflicts: [], diff: '' };
    const found = this.#take(call);
    if (found instanceof Error) throw found;
    this.apply(actualFiles(found, this.#names));
    return answerOf(found, this.#names);
  }

  /** Returns the entry that answers a call, or the failure of the test without one. */
  #take(call: ActualCall): CassetteEntry | ShellFailure {
    const actual = this.#storage.fields(call);
    const fail = (failure: ShellFailure) => {
      this.#fail(failure);
      return failure;
    };
    // A child of a test that has a section is replayed, and may be new.
    const isChild = this.#children === undefined;
    if (!this.#section.isThere && !isChild) return fail(failures.missing(this.#place));
    const entry = this.#section.take(actual, call);
    if (entry === undefined) {
      return fail(failures.miss(this.#place, actual, this.#section.nearest(actual, call)));
    }
    this.onChange();
    return entry;
  }

  /** Adds a command to the journal. */
  begin(call: ActualCall, files: string[]): Journal {
    const command: ObservedCommand = { command: call.command, cwd: call.cwd, result: null, call };
    // This package's own commands, such as one that saves the state of a shell, are none of the test's.
    if (call.command.search(OWN_FILE) < 0) this.commands.push(command);
    const recorded: RecordedCommand = { call, events: [], notes: {}, files };
    const journal: Journal = {
      recorded,
      entry: undefined,
      end: (native) => {
        const { command: text, cwd } = command;
        const copy = { ...native, decision: undefined };
        command.result = runResult(copy, { command: text, cwd: native.cwd || cwd }, null) as RunResult;
        this.onChange();
      },
    };
    if (this.records(call)) {
      this.#separateChanges();
      this.#recorded.push(recorded);
    }
    this.#journals.push(journal);
    this.onChange();
    return journal;
  }

  /** Adds a command that is played: it ends with the test. */
  add(player: Player): void {
    this.#players.add(player);
  }

  /** Forgets a command that the addon refused. */
  drop(recorded: RecordedCommand): void {
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
    if (this.mode === 'fakes') {
      return this.#fail(
        failures.fakeMissing(this.#place, this.#storage.fields(call), this.#children === undefined),
      );
    }
    const entry = this.#take(call);
    if (entry instanceof Error) return refusal(entry.code, entry.message);
    journal.entry = entry;
    const where = `${failures.shown(this.#place.cassette)}:${this.#section.line(entry)}`;
    try {
      return scriptOfEntry(entry, where, this.#names);
    } catch (error) {
      return this.#fail(failures.invalidEntry(this.#place, where, error));
    }
  }

  otherInput(job: string, place: string, expected: string, actual: string): ShellFailure {
    const failure = failures.otherInput(this.#place, job, place, expected, actual);
    this.#failures.push(failure);
    return failure;
  }

  tooLong(call: ActualCall): void {
    this.#failures.push(failures.tooLong(this.#place, call.command));
  }

  /** Notes what a command has changed below the root. */
  recordChanges(recorded: RecordedCommand): void {
    const changes = this.#workspace?.changes() ?? [];
    if (changes.length > 0) recorded.changes = [...(recorded.changes ?? []), ...changes];
  }

  /**
   * Separates the changes of a command that starts from earlier ones: of commands that run, or of other code.
   */
  #separateChanges(): void {
    const running = this.#recorded.find(({ end, answer }) => end === undefined && answer === undefined);
    if (running === undefined) this.#workspace?.skip();
    else this.recordChanges(running);
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
  readSharedFile(path: string, read: () => string | undefined): string | undefined {
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

  /** Returns what a child tells its test. */
  report(): ChildReport {
    const { entries, left } = this.#section;
    const isReplay = this.mode === 'replay';
    return {
      section: this.section,
      entries: this.files.entries(this.#recorded),
      failures: this.#failures.map(({ code, message }) => ({ code, message })),
      left: isReplay ? this.files.lines(left) : [],
      all: entries.length,
      answers: this.files.answers.collected,
    };
  }

  /**
   * Ends the test: writes its section if it passed. Returns the failure of the shell, if there is one.
   * Idempotent.
   */
  finish(hasPassed: boolean): ShellFailure | null {
    try {
      const reports = this.#children?.reports() ?? [];
      this.#failures.push(...failuresOf(reports));
      if (hasPassed && this.#failures.length === 0) this.#conclude(reports);
    } catch (error) {
      this.#failures.push(error as ShellFailure);
    } finally {
      for (const player of this.#players) player.stop('aborted', 'SIGTERM');
      this.#children?.end();
      if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true });
    }
    const found = this.#failures.splice(0);
    return found.length === 0 ? null : failures.together(found);
  }

  #conclude(reports: ChildReport[]): void {
    if (this.mode === 'record') this.files.write(this.#recorded, reports);
    if (this.mode !== 'replay' && this.mode !== 'record') return;
    this.files.storeAnswers(reports, this.#mayStore);
    if (this.mode === 'replay' && this.#options.unused !== 'allow') this.files.refuseUnused(reports);
  }

  /** Returns the error for a question that only the addon could answer, which fails the test. */
  #failWithoutAddon(question: string, file: string | undefined, cause: Error): ShellFailure {
    const error = failures.addonNeeded(this.#place, question, file);
    error.cause = cause;
    if (!this.#failures.some(({ message }) => message === error.message)) this.#fail(error);
    return error;
  }

  #newChildren(place: TestPlace): Children {
    const { files, order, time, sandbox, holes = {} } = this.#options;
    const patterns = Object.entries(holes).map(([name, { source, flags }]): [string, string, string] => [
      name,
      source,
      flags,
    ]);
    return new Children({
      place: { ...place, name: this.section },
      mode: this.mode,
      root: this.root,
      options: { files, order, time, sandbox, holes: patterns },
    });
  }

  #fail(failure: ShellFailure): Script {
    this.#failures.push(failure);
    this.onChange();
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

/** A text that no content has, in the place of the number of a file without one in its name. */
const NO_NUMBER = '\0';
