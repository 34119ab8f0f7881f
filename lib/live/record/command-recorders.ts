import { mkdir, open, readdir } from 'node:fs';
import { promisify } from 'node:util';
import type { ObservedCommand } from '../../observe/observed-command.ts';
import type { ObservedEvent, Observer } from '../../observe/observers.ts';
import type { Recording } from './api.ts';
import { APPEND, CastFile, MODE } from './cast-file.ts';
import type { RecordPlan } from './record-options.ts';
import { MODE_OF_DIRECTORY } from './record-options.ts';
import { Recorder } from './recorder.ts';

const opening = promisify(open);
const making = promisify(mkdir);
const listing = promisify(readdir);

/** The most characters of a command in the name of its file. */
const MAX_NAME_LENGTH = 40;

/** Records each command into a file of its own. */
class CommandRecorders implements Observer {
  readonly takesAll: boolean;
  /** The recording of all commands, which follows theirs. */
  readonly recording: Recording;
  #plan: RecordPlan;
  #recorders = new Set<Recorder>();
  /** The sum of the recordings that are over. */
  #over: Sum = { bytes: 0, complete: true, error: null };
  /** Resolves with the number of the last file, which rises by one for each. */
  #number: Promise<number> | undefined;

  constructor(plan: RecordPlan) {
    this.#plan = plan;
    this.takesAll = plan.takesAll;
    this.recording = this.#sum();
  }

  observe(event: ObservedEvent, command: ObservedCommand | null): void {
    // Calls and questions are of no command.
    if (event.type !== 'start' || command === null) return;
    const recorder = new Recorder(this.#plan, true, (onRoom) => this.#newFile(event.command, onRoom));
    this.#recorders.add(recorder);
    command.replace(this, recorder);
    recorder.observe(event, command);
    command.written?.then(() => {
      this.#recorders.delete(recorder);
      this.#over = added(this.#over, recorder.recording);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#recorders].map((recorder) => recorder.close()));
  }

  #sum(): Recording {
    const sum = () => [...this.#recorders].reduce((all, { recording }) => added(all, recording), this.#over);
    return Object.defineProperties({ path: this.#plan.path } as Recording, {
      bytes: { enumerable: true, get: () => sum().bytes },
      complete: { enumerable: true, get: () => sum().complete },
      error: { enumerable: true, get: () => sum().error },
    });
  }

  #newFile(command: string, onRoom: () => void): CastFile {
    const { path, isDirectory, maxBytes } = this.#plan;
    if (!isDirectory) return new CastFile(path, maxBytes, () => opening(path, APPEND, MODE), onRoom);
    const create = (recording: Recording) => this.#createNext(command, recording);
    return new CastFile(path, maxBytes, create, onRoom);
  }

  /** Creates the file with the next number. */
  async #createNext(command: string, recording: Recording): Promise<number> {
    const { path } = this.#plan;
    this.#number = (this.#number ?? lastNumber(path)).then((number) => number + 1);
    const number = String(await this.#number).padStart(4, '0');
    recording.path = `${path}/${number}-${nameOf(command)}.cast`;
    return opening(recording.path, APPEND, MODE);
  }
}

/** Creates a directory that is missing. Resolves with the number of the last file in it. */
async function lastNumber(directory: string): Promise<number> {
  await making(directory, MODE_OF_DIRECTORY).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const numbers = (await listing(directory)).map((name) => Number(/^(\d+)-.*\.cast$/.exec(name)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

/** Returns a command as a part of a file's name. */
function nameOf(command: string): string {
  const words = command.slice(0, 500).match(/[A-Za-z0-9]+/g) ?? ['command'];
  return words.join('-').slice(0, MAX_NAME_LENGTH).replace(/-$/, '').toLowerCase();
}

type Sum = Omit<Recording, 'path'>;

function added(sum: Sum, { bytes, complete, error }: Sum): Sum {
  return { bytes: sum.bytes + bytes, complete: sum.complete && complete, error: sum.error ?? error };
}

export { CommandRecorders };
