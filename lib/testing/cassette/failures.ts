// The texts of failures: what was asked, what the cassette has, and how to repair it.

import { relative } from 'node:path';
import { messageOf } from '../../support/message-of.ts';
import type { CallFields } from './call.ts';
import type { PatchFault } from './patch.ts';

/** Where a test is, for messages and commands. */
export interface TestPlace {
  /** The name of the test, with those of its groups. */
  name: string;
  /** The path of the cassette. */
  cassette: string;
  /** The command that records the test again. */
  record: string;
}

/** An error of a test's shell. */
export interface ShellFailure extends Error {
  code: string;
}

/** An entry near to a call that has none, and the fields in which they differ. */
export interface Nearest {
  fields: CallFields;
  line: number;
  differences: string[];
}

export function miss(place: TestPlace, actual: CallFields, nearest: Nearest | undefined): ShellFailure {
  const lines = [`CASSETTE_MISS in ${quoted(place.name)}: no recording of`];
  const command = textOf(actual.run);
  if (nearest === undefined) {
    lines.push(`    + ${command}`, '  Every recorded command of this test has run, or there is none.');
  } else {
    const where = `(nearest unused: ${shown(place.cassette)}:${nearest.line})`;
    const stored = textOf(nearest.fields.run);
    lines.push(`    - ${stored.padEnd(30)} ${where}`, `    + ${command}`, ...comparison(nearest, actual));
  }
  lines.push(`  If meant: ${place.record}`);
  return failure('CASSETTE_MISS', lines);
}

export function missing(place: TestPlace): ShellFailure {
  return failure('CASSETTE_MISSING', [
    `CASSETTE_MISSING: ${quoted(place.name)} has no recording, and CI records none.`,
    `  Run it once without CI, and commit ${shown(place.cassette)}.`,
  ]);
}

export function fakeMissing(place: TestPlace, actual: CallFields, isChild: boolean): ShellFailure {
  return failure('FAKE_MISS', [
    `FAKE_MISS in ${quoted(place.name)}: no fake answers`,
    `    + ${textOf(actual.run)}`,
    isChild
      ? "  The test's fakes do not reach its children: record the test (mode: 'auto'), or use withShell() there."
      : '  Add one by shell.fake(), before the command runs.',
  ]);
}

export function fakeFailed(place: TestPlace, command: string, error: unknown): ShellFailure {
  return failure('FAKE_FAILED', [
    `FAKE_FAILED in ${quoted(place.name)}: the function that answers a command has thrown`,
    `    + ${command}`,
    `  ${messageOf(error)}`,
  ]);
}

export function unused(
  place: TestPlace,
  all: number,
  left: { fields: CallFields; line: number }[],
): ShellFailure {
  const commands = left.map(({ fields, line }) => {
    return `    - ${textOf(fields.run).padEnd(30)} (${shown(place.cassette)}:${line})`;
  });
  return failure('CASSETTE_UNUSED', [
    `CASSETTE_UNUSED in ${quoted(place.name)}: ${left.length} of ${all} recorded commands did not run:`,
    ...commands,
    "  If meant, record again, or set unused: 'allow'.",
  ]);
}

export function otherInput(
  place: TestPlace,
  job: string,
  where: string,
  stored: string,
  actual: string,
): ShellFailure {
  return failure('CASSETTE_INPUT', [
    `CASSETTE_INPUT in ${quoted(place.name)}: ${job} got another input than ${where}`,
    `    - ${JSON.stringify(stored)}`,
    `    + ${JSON.stringify(actual)}`,
    '  If meant, record again.',
  ]);
}

export function otherFile(place: TestPlace, fault: PatchFault, project: string): ShellFailure {
  const where = fault.line === 0 ? fault.path : `${fault.path}:${fault.line}`;
  return failure('CASSETTE_FILES', [
    `CASSETTE_FILES in ${quoted(place.name)}: ${where} is not what the recording changed`,
    `    - ${fault.expected}`,
    `    + ${fault.actual}`,
    `  Restore ${project}, or record again.`,
  ]);
}

export function invalidEntry(place: TestPlace, where: string, error: unknown): ShellFailure {
  return failure('CASSETTE_INVALID', [
    `CASSETTE_INVALID in ${quoted(place.name)}: ${where} can't be replayed: ${messageOf(error)}`,
    '  Record it again.',
  ]);
}

export function secretFound(place: TestPlace, name: string): ShellFailure {
  return failure('CASSETTE_SECRET', [
    `CASSETTE_SECRET in ${quoted(place.name)}: the recording has the value of ${name}, so it was not written.`,
    '  Print less, or remove it by the option redact.',
  ]);
}

export function tooLong(place: TestPlace, command: string): ShellFailure {
  return failure('CASSETTE_TOO_LONG', [
    `CASSETTE_TOO_LONG in ${quoted(place.name)}: more than 1 MiB of output, which no cassette takes`,
    `    + ${command}`,
    '  Print less, or answer it by shell.fake().',
  ]);
}

export function addonNeeded(place: TestPlace, question: string, file: string | undefined): ShellFailure {
  const remedy =
    file === undefined
      ? [
          "  Without a cassette, no answer is stored: use another mode than 'fakes', or a machine with the addon.",
        ]
      : [`  Where the addon loads: ${place.record}`, `  Then commit ${shown(file)}.`];
  return failure('ADDON_NEEDED', [
    `ADDON_NEEDED in ${quoted(place.name)}: this machine has no addon, and there is no stored answer to`,
    `    + ${question}`,
    ...remedy,
  ]);
}

export function otherAnswers(
  place: TestPlace,
  file: string,
  changed: { ask: string; of: string; line: number }[],
): ShellFailure {
  return failure('ADDON_ANSWERS', [
    `ADDON_ANSWERS in ${quoted(place.name)}: the addon answers otherwise than stored, as after its update:`,
    ...changed.map(({ ask, of, line }) => `    - ${ask}(${of})  (${shown(file)}:${line})`),
    `  Run the test without CI, and commit ${shown(file)}.`,
  ]);
}

/** Returns one error with the texts of all. */
export function together(failures: ShellFailure[]): ShellFailure {
  if (failures.length === 1) return failures[0];
  return failure(failures[0].code, [failures.map(({ message }) => message).join('\n\n')]);
}

function comparison(nearest: Nearest, actual: CallFields): string[] {
  const names = nearest.differences.filter((name) => name !== 'run');
  if (names.length === 0) return ['  Directory, environment and input are equal.'];
  return names.flatMap((name) => [
    `  ${LABELS[name] ?? name} differs:`,
    `    - ${textOfValue(nearest.fields[name])}`,
    `    + ${textOfValue(actual[name])}`,
  ]);
}

const LABELS: Partial<Record<string, string>> = { cwd: 'Directory', env: 'Environment', input: 'Input' };

function textOfValue(value: unknown): string {
  return value === undefined ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value);
}

export function textOf(run: string | string[]): string {
  return typeof run === 'string' ? run : JSON.stringify(run);
}

/** Returns a path as a person sees it from the working directory. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function failure(code: string, lines: string[]): ShellFailure {
  const error = new Error(lines.join('\n'));
  // The stack has the place of this function, not of the test.
  error.stack = `Error: ${error.message}`;
  return Object.assign(error, { code });
}
