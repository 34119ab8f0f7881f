// The files of a test: its section of the cassette, those of its children, and the answers of the addon.

import { Answers } from './answers/answers.ts';
import { AnswersFile, answersPath } from './answers/answers-file.ts';
import { recordOutside } from './answers/questioned.ts';
import type { ShellOptions } from './api.ts';
import type { CallFields } from './cassette/call.ts';
import { Cassette, type CassetteEntry } from './cassette/cassette.ts';
import type { TestPlace } from './cassette/failures.ts';
import * as failures from './cassette/failures.ts';
import type { RecordedCommand } from './cassette/recorder.ts';
import { Section } from './cassette/section.ts';
import type { Storage } from './cassette/storage.ts';
import type { ChildReport } from './children/children.ts';
import { CHILD_OF } from './children/children.ts';
import type { Names } from './names/names.ts';
import type { Screens } from './play/screens.ts';

/** The options from which the files of a test are made. */
export interface FilesOfTest {
  place: TestPlace;
  /** Whether there is a cassette: not with fakes alone, and not for commands that run. */
  hasCassette: boolean;
  options: ShellOptions;
  names: Names;
  storage: Storage;
  /** Is called after each answer of the addon. */
  onCollect: () => void;
  /** Returns the error for a question that only the addon could answer. */
  onMissing: (question: string, file: string | undefined, cause: Error) => Error;
}

export class TestFiles {
  readonly section: Section;
  readonly answers: Answers;
  /** The screens of the test's terminals. */
  readonly screens: Screens[] = [];
  /** Whether the section was written. */
  hasWritten = false;
  /** The keys of the answers that the file has for the test; `undefined` where they may not be stored. */
  stored: string[] | undefined;
  #place: TestPlace;
  #cassette: Cassette;
  #answersFile: AnswersFile;
  #names: Names;
  #storage: Storage;

  constructor(given: FilesOfTest) {
    const { place, hasCassette, options, names, storage, onCollect, onMissing } = given;
    const { redact } = options;
    this.#place = place;
    this.#names = names;
    this.#storage = storage;
    this.#cassette = new Cassette(place.cassette, hasCassette);
    // A test of each of some values may have one in its name.
    const name = names.withoutSecrets(place.name);
    this.section = new Section(this.#cassette, name, names, options.order === 'strict');
    const file = new AnswersFile(hasCassette ? answersPath(place.cassette) : undefined);
    this.#answersFile = file;
    const missing = (question: string, cause: Error) => onMissing(question, file.path, cause);
    this.answers = new Answers({ file, names, redact, onCollect, onMissing: missing });
  }

  /** Throws if recorded commands of the test or of its children did not run. */
  refuseUnused(reports: ChildReport[]): void {
    const { name, entries, left } = this.section;
    const started = reports.map(({ section }) => section);
    const absent = this.#childSections().filter((section) => !started.includes(section));
    const all = [
      { section: name, all: entries.length, left: this.lines(left) },
      ...reports,
      ...absent.map((section) => this.#unusedIn(section)),
    ];
    const found = all.filter((each) => each.left.length > 0);
    if (found.length === 0) return;
    throw failures.together(
      found.map((each) => failures.unused({ ...this.#place, name: each.section }, each.all, each.left)),
    );
  }

  /**
   * Writes the sections of the test and of its children, and removes those of children that it has no more.
   */
  write(recorded: RecordedCommand[], reports: ChildReport[]): void {
    const entries = this.entries(recorded);
    const isWorth = this.section.isThere || entries.length > 0 || reports.length > 0;
    if (!isWorth) return;
    const { name } = this.section;
    this.#cassette.write(name, entries, this.#refuseSecrets);
    this.hasWritten = true;
    const sections = reports.map(({ section }) => section);
    const gone = this.#childSections().filter((section) => !sections.includes(section));
    if (gone.length > 0) this.#cassette.remove(gone);
    for (const { section, entries: own } of reports)
      this.#cassette.write(section, this.#storage.redacted(own), this.#refuseSecrets);
  }

  /** Stores the answers of the addon, or else compares them with those that are stored. */
  storeAnswers(reports: ChildReport[], mayStore: boolean): void {
    recordOutside(this.answers);
    for (const screens of this.screens) screens.collect(this.answers);
    this.answers.add(reports.flatMap(({ answers }) => this.#storage.redacted(answers)));
    const { changed, missing } = this.answers;
    if (mayStore) {
      this.#answersFile.add([...changed, ...missing], this.#refuseSecrets);
      this.stored = this.answers.collected.map(({ key }) => key);
    } else if (changed.length > 0) {
      const lines = changed.map((each) => ({ ...each, line: this.#answersFile.line(each.key) }));
      throw failures.otherAnswers(this.#place, this.#answersFile.path ?? '', lines);
    }
  }

  /** Returns the stored forms of recorded commands, and of questions that have an answer. */
  entries(recorded: RecordedCommand[]): CassetteEntry[] {
    return recorded
      .filter(({ answer, isQuestion }) => !isQuestion || answer !== undefined)
      .map((each) => this.#storage.entry(each));
  }

  /** Returns entries of a section with their lines. */
  lines(entries: CassetteEntry[], section: Section = this.section): ChildReport['left'] {
    return entries.map((entry) => ({ fields: entry as CallFields, line: section.line(entry) }));
  }

  #refuseSecrets = (text: string): void => this.#storage.refuseSecrets(text, this.#place);

  /** Returns the sections of children that the cassette has. */
  #childSections(): string[] {
    return this.#cassette.names.filter((name) => name.startsWith(`${this.section.name}${CHILD_OF} `));
  }

  #unusedIn(name: string): Pick<ChildReport, 'section' | 'all' | 'left'> {
    const section = new Section(this.#cassette, name, this.#names, false);
    return { section: name, all: section.entries.length, left: this.lines(section.entries, section) };
  }
}
