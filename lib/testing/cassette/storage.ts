import { Buffer } from 'node:buffer';
import type { Names } from '../names/names.ts';
import { TOKENS } from '../names/spans.ts';
import type { ScriptEnd } from '../play/script.ts';
import type { ActualCall, CallFields } from './call.ts';
import { fieldsOf } from './call.ts';
import type { CassetteEntry } from './cassette.ts';
import type { TestPlace } from './failures.ts';
import { secretFound } from './failures.ts';
import type { StoredFile } from './files.ts';
import { storedAnswer } from './questions.ts';
import type { RecordedCommand } from './recorder.ts';
import { storedEnd, storedEvents, storedUsage } from './stored.ts';

/** Makes the stored form of calls and commands: with names in place of values, and without secrets. */
export class Storage {
  #names: Names;
  #secrets: Map<string, string>;
  #redact: ((text: string) => string) | undefined;
  #nextPid = 1;
  /** The name of a secret that some bytes have. */
  #inBytes: string | undefined;

  constructor(names: Names, secrets: Map<string, string>, redact: ((text: string) => string) | undefined) {
    this.#names = names;
    this.#secrets = secrets;
    this.#redact = redact;
  }

  /** Returns the stored form of a command that has run. */
  entry(recorded: RecordedCommand): CassetteEntry {
    // A command that outlives the test ends with it in a replay too.
    const { call, events, end = UNENDED, notes } = recorded;
    const redact = this.#redact ?? ((text: string) => text);
    const fields = this.fields(call);
    const { answer } = recorded;
    if (answer !== undefined)
      return this.#withChanges({ ...fields, ...storedAnswer(answer, this.#names) }, recorded);
    recorded.number ??= this.#nextPid++;
    const { number } = recorded;
    const pid = end.pid ?? recorded.pid;
    if (pid !== undefined) this.#names.addPid(number, pid);
    const entry: CassetteEntry = {
      ...fields,
      ...(pid !== undefined && { pid: number }),
      events: storedEvents(events, this.#names, redact),
      end: storedEnd(end, this.#names),
    };
    const usage = storedUsage(end.usage);
    if (usage !== undefined) entry.usage = usage;
    const texts = Object.entries(notes).map(([name, text]) => [name, redact(this.#names.stored(text))]);
    if (texts.length > 0) entry.notes = Object.fromEntries(texts);
    return this.#withChanges(entry, recorded);
  }

  #withChanges(entry: CassetteEntry, { changes }: RecordedCommand): CassetteEntry {
    if (changes !== undefined) entry.files = this.#storedChanges(changes);
    this.#searchBytes(entry);
    return entry;
  }

  /** Returns the stored form of changes. A secret may have several lines. */
  #storedChanges(changes: StoredFile[]): StoredFile[] {
    const redact = this.#redact ?? ((text: string) => text);
    const lines = changes.filter((each) => typeof each === 'string');
    const stored = this.#names
      .storedParts(lines.map((line) => `${line}\n`))
      .map((line) => line.replace(/\n$/, ''));
    const others = changes.filter((each) => typeof each !== 'string');
    return [...stored.filter((line) => line !== '').map(redact), ...others];
  }

  /** Returns a call as it is stored. */
  fields(call: ActualCall): CallFields {
    const fields = fieldsOf(call, this.#names);
    return this.redacted(fields);
  }

  /** Throws if a text that is to be written has a secret. */
  refuseSecrets(text: string, place: TestPlace): void {
    if (this.#inBytes !== undefined) throw secretFound(place, this.#inBytes);
    for (const [value, name] of this.#secrets) {
      const stored = JSON.stringify(value).slice(1, -1);
      if (text.includes(stored)) throw secretFound(place, name);
    }
  }

  /** Searches where no name can replace a secret: what is stored as base64, or written in parts. */
  #searchBytes({ events, files = [], input }: CassetteEntry): void {
    const streams = ['stdout', 'stderr'].map((stream) =>
      events.filter(([, kind]) => kind === stream).flatMap(([, , ...values]) => values),
    );
    // Names are found in each text that was written, and not in what several make together.
    const written = events.filter(([, kind]) => kind === 'write').map(([, , value]) => value);
    for (const values of [...streams, [input], written, ...files.map((file) => [file])]) {
      const bytes = Buffer.concat(values.map(bytesOf)).toString('latin1');
      for (const [value, name] of this.#secrets) {
        if (bytes.includes(Buffer.from(value).toString('latin1'))) this.#inBytes = name;
      }
      if (bytes.search(TOKENS) >= 0) this.#inBytes = 'a token';
    }
  }

  /** Applies the test's own function to all texts of a value. */
  redacted<Value>(value: Value): Value {
    const redact = this.#redact;
    if (redact === undefined) return value;
    return JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? redact(each) : each));
  }
}

/** The end of a command that was not over at the end of its test. */
const UNENDED: ScriptEnd = { at: 'never', status: 'aborted', signal: 'SIGTERM', own: {} };

function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  const { base64 = '' } = (value ?? {}) as { base64?: string };
  return Buffer.from(base64, 'base64');
}
