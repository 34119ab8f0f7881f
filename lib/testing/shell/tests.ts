// `useShell()` of the test runners: a shell for each test of a file.

import { basename, dirname, join } from 'node:path';
import { environmentNow } from '../../options/surroundings/environment/process-environment.ts';
import { Answers } from '../answers/answers.ts';
import { AnswersFile, answersPath } from '../answers/answers-file.ts';
import { answerOutside } from '../answers/questioned.ts';
import type { ShellOptions, TestShell } from '../api.ts';
import { Cassette } from '../cassette/cassette.ts';
import type { TestPlace } from '../cassette/failures.ts';
import { addonNeeded, shown } from '../cassette/failures.ts';
import { enter, inScope, install, leave } from '../double.ts';
import { Names } from '../names/names.ts';
import { secretVariables } from '../names/secrets.ts';
import { Scope } from '../scope.ts';
import { checkShell, isRenewed, modeOf } from './options.ts';
import { currentShell } from './shell.ts';

/** A test, as its runner describes it. */
export interface RunnersTest {
  /** The runner's unique id of the test, where the runner has one. */
  id?: string | undefined;
  /** The path of its file. */
  file: string;
  /** The test's name, with those of its groups. */
  name: string;
  /** The command that runs the test again, without the environment. */
  again: string;
}

/** Returns the path of the cassette that a test file has by default. */
function cassetteOf(file: string): string {
  return join(dirname(file), '__cassettes__', `${basename(file)}.json`);
}

/**
 * Takes the questions that the modules of a test file ask while they are loaded, as those that make tools:
 * their answers are stored with those of its tests.
 */
export function beforeTests(file: string | undefined, again: string): void {
  install();
  if (file === undefined) return;
  const cassette = cassetteOf(file);
  const place = { name: basename(file), cassette, record: `AGENT_BASH_CASSETTES=record ${again}` };
  const path = answersPath(cassette);
  const names = new Names({ root: process.cwd(), holes: {}, secrets: new Map() });
  const onMissing = (question: string) => addonNeeded(place, question, path);
  const answers = { file: new AnswersFile(path), names, redact: undefined, onCollect: () => {}, onMissing };
  answerOutside(new Answers(answers));
}

/** The tests of a file, or of a group, that have a shell. */
export class ShellTests {
  readonly shell: TestShell = currentShell();
  #options: ShellOptions;
  /** The scopes of the tests that run, by their ids. */
  #running = new Map<string, Scope>();
  /** name -> the ids of the tests with it. */
  #ids = new Map<string, string[]>();
  #cassette: string | undefined;
  /** The names of all sections of tests that have run, and of those that were written. */
  #sections = new Set<string>();
  #written = new Set<string>();
  /** The keys of all answers of the addon, and whether each test that has run has its own among them. */
  #answers = new Set<string>();
  #isWhole = true;

  constructor(given: unknown) {
    this.#options = checkShell(given);
  }

  /** Begins a test of a runner that has hooks before and after each test, which no other test may overlap. */
  begin(test: RunnersTest): void {
    if (this.#running.size > 0) {
      const message =
        'useShell() serves one test at a time with this runner: use withShell() in concurrent tests';
      throw new Error(message);
    }
    this.#begin(test);
  }

  /** Ends a test that has begun. Throws the failure of its shell. */
  end(test: RunnersTest, hasPassed: boolean): void {
    const scope = this.#running.get(idOf(test));
    if (scope === undefined) return;
    this.#running.delete(idOf(test));
    leave(scope);
    const found = scope.finish(hasPassed);
    this.#sections.add(scope.section);
    const { stored } = scope.files;
    if (stored === undefined) this.#isWhole = false;
    for (const key of stored ?? []) this.#answers.add(key);
    if (scope.files.hasWritten) this.#written.add(scope.section);
    if (found !== null) throw found;
  }

  /** Runs a test, which others may overlap. Throws the failure of its shell. */
  async around(test: RunnersTest, run: () => Promise<void>, hasPassed: () => boolean): Promise<void> {
    const scope = this.#begin(test);
    try {
      await inScope(scope, run);
    } finally {
      this.end(test, hasPassed());
    }
  }

  /**
   * Ends the file. Removes sections of tests that are gone: all by request, and otherwise those of tests that
   * have another name now. `names` are those of all tests of the file, where the runner has them.
   *
   * @returns a note about sections that are left
   */
  close(names: string[] | undefined, again: string): string | null {
    // Other files may share a cassette that has a name.
    if (this.#cassette === undefined || this.#options.file !== undefined) return null;
    const isKnown = names === undefined ? this.#sections : new Set(this.#sectionNames(names));
    // A test that did not run may have other answers.
    const haveAllRun =
      names === undefined ? isRenewed() : [...isKnown].every((name) => this.#sections.has(name));
    if (this.#isWhole && haveAllRun) new AnswersFile(answersPath(this.#cassette)).keep(this.#answers);
    if (names === undefined && !isRenewed()) return null;
    const cassette = new Cassette(this.#cassette);
    const gone = cassette.names.filter((name) => !isKnown.has(testOf(name)));
    const removed = gone.filter((name) => isRenewed() || this.#isRenamed(cassette, testOf(name)));
    if (removed.length > 0) cassette.remove(removed);
    const left = gone.filter((name) => !removed.includes(name)).map((name) => JSON.stringify(name));
    if (left.length === 0) return null;
    return [
      `agent-bash: ${shown(this.#cassette)} has recordings without a test: ${left.join(', ')}.`,
      `  To remove them, record again: AGENT_BASH_CASSETTES=renew ${again}`,
    ].join('\n');
  }

  #begin(test: RunnersTest): Scope {
    const place = this.#placeOf(test);
    const scope = new Scope(place, modeOf(this.#options.mode), this.#options);
    this.#running.set(idOf(test), scope);
    enter(scope);
    return scope;
  }

  #placeOf(test: RunnersTest): TestPlace {
    const { file } = this.#options;
    this.#cassette = file === undefined ? cassetteOf(test.file) : join(dirname(test.file), file);
    return {
      name: this.#nameOf(test),
      cassette: this.#cassette,
      record: `AGENT_BASH_CASSETTES=record ${test.again}`,
    };
  }

  /** Returns the name of a test, with a number if it is not the first one that has it. */
  #nameOf({ name, id }: RunnersTest): string {
    if (id === undefined) return name;
    const ids = this.#ids.get(name) ?? [];
    if (!ids.includes(id)) ids.push(id);
    this.#ids.set(name, ids);
    return numbered(name, ids.indexOf(id));
  }

  /** Returns the names of the sections that tests have. */
  #sectionNames(names: string[]): string[] {
    const secrets = secretVariables(environmentNow());
    const stored = new Names({ root: process.cwd(), holes: {}, secrets });
    const counts = new Map<string, number>();
    return names.map((name) => {
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return stored.withoutSecrets(numbered(name, count));
    });
  }

  /** Returns whether a test that was recorded just now has the commands of one that is gone. */
  #isRenamed(cassette: Cassette, gone: string): boolean {
    const sections = (test: string) => cassette.names.filter((name) => testOf(name) === test);
    const all = sections(gone);
    if (all.every((section) => cassette.section(section)?.length === 0)) return false;
    return [...this.#written].some(
      (name) =>
        sections(name).length === all.length &&
        all.every((section) => cassette.areSame(name + section.slice(gone.length), section)),
    );
  }
}

function idOf({ id, name }: RunnersTest): string {
  return id ?? name;
}

function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name} (${index + 1})`;
}

/** Returns the name of the test that a section belongs to: that of a child has the child's behind it. */
function testOf(section: string): string {
  return section.replace(CHILD, '');
}

const CHILD = / \[child [\w.-]+(?: \d+)?\]$/;
