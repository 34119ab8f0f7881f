// The child processes and workers of a test: what they get, and what they report. Each has a section of its
// own in the cassette of the test.

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { CHILD } from '../../addon/seam.ts';
import { invalid } from '../../options/checks.ts';
import type { StoredAnswer } from '../answers/answers-file.ts';
import type { CallFields } from '../cassette/call.ts';
import type { CassetteEntry } from '../cassette/cassette.ts';
import type { ShellFailure, TestPlace } from '../cassette/failures.ts';
import type { ScopeMode } from '../scope.ts';

/** The plan that a child gets: a process in a file, a worker as its environment data. */
export interface ChildPlan {
  /** The file that has {@link joinTest}. */
  load: string;
  /** Where children report. */
  directory: string;
  /** The name of the child. */
  name: string;
  place: TestPlace;
  mode: ScopeMode;
  root: string;
  options: {
    files: boolean | undefined;
    order: 'each' | 'strict' | undefined;
    time: 'virtual' | 'timers' | undefined;
    sandbox: unknown;
    holes: [name: string, source: string, flags: string][];
  };
}

/** The report of a child, written anew at each change. */
export interface ChildReport {
  section: string;
  /** The recorded commands, if it records. */
  entries: CassetteEntry[];
  failures: { code: string; message: string }[];
  /** The recorded commands that did not run, and the number of all. */
  left: { fields: CallFields; line: number }[];
  all: number;
  /** The addon's answers to questions that run nothing. */
  answers: StoredAnswer[];
}

/** The name of the file with a report. */
export const REPORT = 'report.json';

/** Returns the name of a child's section. */
export function childSection(test: string, name: string, number: number): string {
  return `${test}${CHILD_OF} ${number === 1 ? name : `${name} ${number}`}]`;
}

/** The separator of the names of a test and of a child, in the name of a section. */
export const CHILD_OF = ' [child';

/** The children of one test. */
export class Children {
  #plan: ChildPlan;

  constructor(plan: Omit<ChildPlan, 'directory' | 'name' | 'load'>) {
    // The directory is made for the first child: most tests have none.
    const directory = join(tmpdir(), `agent-bash-children-${randomUUID()}`);
    this.#plan = { ...plan, load: __filename, directory, name: 'worker' };
    setEnvironmentData(CHILD, this.#plan as never);
  }

  /** Returns the variable by which a child process takes part in the test. */
  env(name: unknown): Record<string, string> {
    if (typeof name !== 'string' || !/^[\w.-]+$/.test(name) || name === 'worker') {
      throw invalid('name', "a name of letters, digits, '.', '_' and '-', other than 'worker'", name);
    }
    const { directory } = this.#plan;
    makeDirectory(directory);
    const file = join(directory, `${name}.json`);
    writeFileSync(file, JSON.stringify({ ...this.#plan, name }), { mode: 0o600 });
    return { [CHILD]: file };
  }

  /** Returns the reports of the children so far, in the order of their sections. */
  reports(): ChildReport[] {
    const { directory } = this.#plan;
    if (!existsSync(directory)) return [];
    const files = readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(directory, name, REPORT));
    const reports = files.filter(existsSync).map((file) => JSON.parse(readFileSync(file, 'utf8')));
    return (reports as ChildReport[]).sort((one, other) => (one.section < other.section ? -1 : 1));
  }

  /** Lets no further child take part. */
  end(): void {
    // Another test that runs at the same time may have set its own.
    if (getEnvironmentData(CHILD) === (this.#plan as never)) setEnvironmentData(CHILD, undefined as never);
    rmSync(this.#plan.directory, { recursive: true, force: true });
  }
}

/** Returns the failures of children as those of the test. */
export function failuresOf(reports: ChildReport[]): ShellFailure[] {
  return reports.flatMap(({ failures }) =>
    failures.map(({ code, message }) => Object.assign(new Error(message), { code })),
  );
}

/** Makes a directory for this user alone. */
export function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
