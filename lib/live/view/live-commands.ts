import type { ObservedCommand } from '../../observe/observed-command.ts';
import type { Observer } from '../../observe/observers.ts';
import type { LiveEnd, LiveEvent, LiveStart } from '../api.ts';
import type { CommandSummary, Stamped } from './messages.ts';
import { StateWatch } from './state-watch.ts';

/** The most commands that are remembered. */
const MAX_COMMANDS = 10_000;

/** The output that is kept of a command (bytes), and the least that one counts for. */
const MAX_KEPT = 1024 * 1024;
const MIN_KEPT = 1024;

/** The most characters that are remembered of the text of a command that is over. */
const MAX_COMMAND_LENGTH = 500;

/** A command that a `Live` has seen. */
export interface KnownCommand {
  start: Stamped<LiveStart>;
  /** The latest event of each other type, in their order. */
  latest: Map<LiveEvent['type'], LiveEvent>;
  /** The command's output; `null` once that is dropped. */
  observed: ObservedCommand | null;
  /** Reports its processes while a page shows it. */
  states: StateWatch;
  isOver: boolean;
  /** The memory of the output of a command that is over (bytes). */
  kept: number;
}

/** The commands that a `Live` remembers: all of them by a summary, and the output of the latest. */
class LiveCommands {
  #owner: Observer;
  #memory: number;
  #byId = new Map<string, KnownCommand>();
  /** The commands that are over and have output, the one that ended first at the front. */
  #ended = new Set<KnownCommand>();
  #endedBytes = 0;

  constructor(owner: Observer, memory: number) {
    this.#owner = owner;
    this.#memory = memory;
  }

  get(id: string): KnownCommand | undefined {
    return this.#byId.get(id);
  }

  add(start: Stamped<LiveStart>, observed: ObservedCommand): void {
    this.#byId.set(start.id, {
      start,
      latest: new Map(),
      observed,
      states: new StateWatch(observed),
      isOver: false,
      kept: 0,
    });
    if (this.#byId.size <= MAX_COMMANDS) return;
    for (const [id, known] of this.#byId) {
      // A running command is never forgotten.
      if (!known.isOver) continue;
      this.#drop(known);
      this.#byId.delete(id);
      return;
    }
  }

  /** Notes an event of a command, which `get()` knows. */
  note(known: KnownCommand, event: LiveEvent): void {
    known.latest.delete(event.type);
    known.latest.set(event.type, event);
    if (event.type === 'end') this.#end(known, event);
  }

  /** Drops the output of all commands. */
  clear(): void {
    for (const known of this.#byId.values()) this.#drop(known);
    this.#byId.clear();
  }

  /** Returns the commands of which there is an event after the one of this number. */
  summaries(since: number): CommandSummary[] {
    return [...this.#byId.values()]
      .map(({ start, latest }) => ({ start, latest: [...latest.values()] as CommandSummary['latest'] }))
      .filter(({ start, latest }) => Math.max(start.seq, latest.at(-1)?.seq ?? 0) > since);
  }

  #end(known: KnownCommand, { totalBytes }: LiveEnd): void {
    known.isOver = true;
    known.latest.delete('state');
    known.kept = Math.max(Math.min(totalBytes, MAX_KEPT), MIN_KEPT);
    const { start } = known;
    if (start.command.length > MAX_COMMAND_LENGTH) {
      known.start = { ...start, command: `${start.command.slice(0, MAX_COMMAND_LENGTH - 1)}…` };
    }
    this.#ended.add(known);
    this.#endedBytes += known.kept;
    for (const oldest of this.#ended) {
      if (this.#endedBytes <= this.#memory) break;
      this.#drop(oldest);
    }
  }

  #drop(known: KnownCommand): void {
    if (this.#ended.delete(known)) this.#endedBytes -= known.kept;
    known.observed?.release(this.#owner);
    known.observed = null;
  }
}

export { LiveCommands };
