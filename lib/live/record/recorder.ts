import type { InputWait, Screen } from '../../job/inspection/api.ts';
import type { ObservedCommand } from '../../observe/observed-command.ts';
import type { ObservedEvent, Observer } from '../../observe/observers.ts';
import { redactedText } from '../../redact/redacted.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import { OutputReader } from '../output/output-reader.ts';
import { Pace } from '../output/pace.ts';
import type { Recording } from './api.ts';
import type { CastFile } from './cast-file.ts';
import type { CastEntry } from './cast-script.ts';
import { CastScript } from './cast-script.ts';
import type { RecordPlan } from './record-options.ts';

/** The most output that is read at once, and that is kept of a command behind its limit (bytes). */
const READ_BYTES = 64 * 1024;
const TAIL_BYTES = 64 * 1024;

/** The time between two writes, each of which puts events in the order of their times (ms). */
const SORT_MS = 50;

/** The most text that waits to be put in order (UTF-16 code units). */
const MAX_QUEUED = 512 * 1024;

interface CommandRecording {
  command: ObservedCommand;
  reader: OutputReader;
  pace: Pace;
  /** The cursor at which the recording of its output ends; infinity for its tail. */
  limit: number;
  /** Events that belong behind output that was not read yet. */
  pending: CastEntry[];
  wait: InputWait | null;
  /** The time of its latest output or event. */
  latest: number;
}

/** Records commands into one file. */
class Recorder implements Observer {
  readonly takesAll: boolean;
  #plan: RecordPlan;
  #file: CastFile;
  #script: CastScript;
  #commands = new Map<ObservedCommand, CommandRecording>();
  /** The entries that are not yet in the order of the times. */
  #queue: CastEntry[] = [];
  #queued = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOne: boolean;
  #isClosed = false;
  #onClosed: () => void = () => {};
  #onIdle: (() => void)[] = [];

  /**
   * @param isOne whether it records one command alone, and ends with it
   * @param newFile creates the file, which calls its argument when it has room
   */
  constructor(plan: RecordPlan, isOne: boolean, newFile: (onRoom: () => void) => CastFile) {
    this.#plan = plan;
    this.#isOne = isOne;
    this.takesAll = plan.takesAll;
    this.#file = newFile(() => this.#advanceAll());
    this.#script = new CastScript(plan, isOne, (line, isLast) => this.#file.push(line, isLast));
  }

  get recording(): Recording {
    return this.#file.recording;
  }

  observe(event: ObservedEvent, command: ObservedCommand | null, input?: Uint8Array): void {
    if (this.#isClosed) {
      command?.release(this);
      return;
    }
    if (command === null) {
      this.#add({ time: event.time, event });
      return;
    }
    if (event.type === 'start') {
      this.#begin(command, event.time);
      // Output may have come already, and belongs behind the start also where it has the same time.
      this.#add({ time: event.time, event });
      return;
    }
    const recorded = this.#commands.get(command);
    if (recorded === undefined) return;
    if (event.type === 'waiting') recorded.wait = event.wait;
    // The time of the end follows from a duration of the engine, and may be before that of what it followed.
    if (event.type !== 'end') recorded.latest = Math.max(recorded.latest, event.time);
    // A terminal that does not echo a line, or reads keys, may get a password.
    const isEchoed = this.#plan.recordsInput && recorded.wait?.kind === 'line';
    const text =
      isEchoed && input !== undefined
        ? redactedText(Buffer.from(input).toString(), command?.facts.redactor)
        : undefined;
    recorded.pending.push({ time: event.time, event, input: text });
    this.#advance(recorded);
  }

  /** Writes what there is, with the end of each command that is over, and closes the file. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      while ([...this.#commands.keys()].some(({ isOver }) => isOver)) {
        await new Promise<void>((resolve) => this.#onIdle.push(resolve));
      }
      this.#flush();
      this.#isClosed = true;
      for (const command of this.#commands.keys()) command.release(this);
      this.#script.finish();
    }
    await this.#file.close();
    this.#onClosed();
  }

  #begin(command: ObservedCommand, time: number): void {
    const recorded: CommandRecording = {
      command,
      reader: new OutputReader(command),
      pace: new Pace(() => this.#advance(recorded)),
      limit: this.#plan.maxCommandBytes,
      pending: [],
      wait: null,
      latest: time,
    };
    this.#commands.set(command, recorded);
    command.follow(() => recorded.pace.request());
    if (!this.#isOne) return;
    command.recording = this.recording;
    command.written = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  #advanceAll(): void {
    for (const recorded of [...this.#commands.values()]) this.#advance(recorded);
  }

  /** Reads the output of a command while there is room, and then passes on its events. */
  #advance(recorded: CommandRecording): void {
    const { command, reader, pending } = recorded;
    if (this.#file.hasFailed) {
      this.#drop(recorded);
      return;
    }
    while (this.#file.hasRoom) {
      if (reader.cursor >= recorded.limit) {
        command.take(null);
        if (command.isOver) this.#skipToTail(recorded);
        else {
          for (const entry of pending.splice(0)) this.#add(entry);
          return;
        }
      }
      if (!this.#readOnce(recorded)) {
        if (command.isOver) this.#finish(recorded);
        else {
          for (const entry of pending.splice(0)) this.#add(entry);
          command.watch();
        }
        return;
      }
    }
  }

  /** Reads a piece of output. Returns whether there may be more. */
  #readOnce(recorded: CommandRecording): boolean {
    const { command, reader } = recorded;
    const { dropped, texts, isMore } = reader.read(READ_BYTES);
    if (dropped > 0) this.#gap(recorded, dropped);
    for (const text of texts) {
      recorded.latest = Math.max(recorded.latest, text.time);
      this.#add({ time: text.time, id: command.id, text });
    }
    return isMore;
  }

  #skipToTail(recorded: CommandRecording): void {
    const skipped = recorded.reader.skip(TAIL_BYTES);
    if (skipped > 0) this.#gap(recorded, skipped);
    recorded.limit = Infinity;
  }

  #gap(recorded: CommandRecording, gap: number): void {
    const { command, latest } = recorded;
    this.#add({ time: latest, id: command.id, gap, screen: screenOf(command) });
  }

  /** Adds the rest of a command that is over. */
  #finish(recorded: CommandRecording): void {
    const { command, reader, pending, latest } = recorded;
    for (const text of reader.rest()) this.#add({ time: latest, id: command.id, text });
    for (const entry of pending.splice(0)) this.#add({ ...entry, ...after(entry, latest) } as CastEntry);
    this.#drop(recorded);
  }

  #drop({ command, pace }: CommandRecording): void {
    pace.cancel();
    this.#commands.delete(command);
    command.release(this);
    for (const resolve of this.#onIdle.splice(0)) resolve();
    if (this.#isOne) this.close();
  }

  #add(entry: CastEntry): void {
    this.#queue.push(entry);
    if ('text' in entry) this.#queued += entry.text.text.length;
    if (this.#queued >= MAX_QUEUED) {
      this.#write();
      return;
    }
    this.#timer ??= setTimeout(() => this.#flush(), SORT_MS).unref();
  }

  /**
   * Writes everything until now. What a command has written may not have been read yet, and is older than
   * events of other commands that are in the queue: so it is read first.
   */
  #flush(): void {
    this.#advanceAll();
    this.#write();
  }

  /** Writes the queue in the order of its times. */
  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queued = 0;
    const entries = this.#queue.splice(0).sort((a, b) => a.time - b.time);
    for (const entry of entries) this.#script.write(entry);
  }
}

/** Returns the end of a command with a time that is not before its latest output and event. */
function after(entry: CastEntry, latest: number): Partial<CastEntry> {
  if (!('event' in entry) || entry.event.type !== 'end' || entry.time >= latest) return {};
  return { time: latest, event: { ...entry.event, time: latest } };
}

function screenOf({ facts, job }: ObservedCommand): Screen | null {
  return facts.pty === null || job === null ? null : job.screen();
}

export { Recorder };
