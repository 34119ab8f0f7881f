// Observers of commands: recordings and live views. Without one, a start costs one comparison, and nothing is
// loaded: what observers get is in `observed-command.ts`, and what observes in `lib/live/`.

import type { JobState, PortState } from '../addon/addon-types.ts';
import type { Screen } from '../job/inspection/api.ts';
import type {
  LiveCall,
  LiveDecision,
  LiveEnd,
  LiveInput,
  LiveMoved,
  LiveQuestion,
  LiveResize,
  LiveResult,
  LiveStart,
  LiveState,
  LiveWaiting,
} from '../live/api.ts';
import type { Redactor } from '../redact/redaction.ts';
import type { ObservedCommand } from './observed-command.ts';

/** An event as observers get it, without the number that each of them gives it. */
export type ObservedEvent = { time: number } & (
  | LiveCall
  | LiveResult
  | LiveQuestion
  | LiveDecision
  | LiveStart
  | LiveWaiting
  | LiveInput
  | LiveResize
  | LiveState
  | LiveMoved
  | LiveEnd
);

export interface Observer {
  /** Whether the observed commands wait until the observer has taken all of their output. */
  readonly takesAll: boolean;
  /**
   * Gets an event, and the command that it is about. From its `start` on, the observer may read the output of
   * the command, until it releases it. `input` is what was written, with an event of that type.
   */
  observe(event: ObservedEvent, command: ObservedCommand | null, input?: Uint8Array): void;
}

/** The observers of a scope: a toolset, a table, a session, or one command. */
export type Observers = Set<Observer>;

/** The job of a command, as observers may use it. */
export interface ObservedJob {
  screen(options?: { scrollback?: number }): Screen;
  kill(signal?: string | number): boolean;
  write(chunk: string): boolean;
  resize(cols: number, rows: number): boolean;
}

/** How observers inspect the job of a command. */
export interface ObservedInspection {
  followPorts(listener: (ports: PortState[]) => void): () => void;
  askState(listener: (state: JobState) => void): void;
}

/** The facts about a command before its start. */
export type ObservedFacts = Pick<LiveStart, 'command' | 'cwd' | 'sandbox' | 'target' | 'pty' | 'stdin'> & {
  session: string | null;
  /** Returns text of the command's output without the names of this package's own files. */
  clean: ((text: string) => string) | undefined;
  /** Replaces secret values in what is written to the command; its output has none. */
  redactor: Redactor | undefined;
};

/** The observers of each toolset, table and session. */
const scopes: WeakMap<object, Observers> = new WeakMap();

export { scopes };
