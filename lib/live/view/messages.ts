// The messages between a `Live` and a page, over a port or the server. Plain JSON.
//
// The page asks for the output of one command at a time. All messages but the first one go by credits: each
// takes its `bytes` from them, and the page gives them back once it has shown the message. Without credit,
// output stays in the buffer of its command, where what leaves the buffer becomes a `gap`; and events are
// dropped, for which a new `hello` follows when there is credit again. Questions are never dropped.

import type { Screen } from '../../job/inspection/api.ts';
import type { LiveEvent, LiveGap, LiveOutput, LiveQuestion, LiveStart } from '../api.ts';

/** The output that a page may get without giving credits back (bytes). */
export const FIRST_CREDIT: number = 4 * 64 * 1024;

export type Control = 'none' | 'approve' | 'all';

/** A command as a page that connects later gets it: its `start`, and what has become of it. */
export interface CommandSummary {
  start: Stamped<LiveStart>;
  /** The latest event of each of these types, in their order. */
  latest: Exclude<LiveEvent, { type: 'start' | 'output' | 'question' | 'decision' }>[];
}

export type Stamped<Event> = Event & { seq: number; time: number };

export type MessageToPage =
  /**
   * The first message, and that after dropped events: what has happened since the event of the number
   * `since`.
   */
  | {
      type: 'hello';
      since: number;
      title: string;
      control: Control;
      /** The commands that are remembered and have changed, oldest first: of the last 10,000. */
      commands: CommandSummary[];
      /** All questions that pages may answer. */
      questions: Stamped<LiveQuestion>[];
      /** The calls and decisions since the oldest of these commands, at most 10,000. */
      others: LiveEvent[];
    }
  /** Pages may answer a question, until its decision. */
  | { type: 'asks'; question: Stamped<LiveQuestion>; bytes: number }
  | { type: 'event'; event: Exclude<LiveEvent, { type: 'output' | 'gap' }>; bytes: number }
  /**
   * The output of a command that the page follows begins: it has to forget what it shows of that command.
   * With a screen, the text before is gone, and the screen is what is left of it.
   */
  | { type: 'begin'; id: string; screen: Screen | null; bytes: number }
  | { type: 'output'; event: Stamped<LiveOutput> | Stamped<LiveGap>; bytes: number }
  /** All output of an ended command was sent. */
  | { type: 'done'; id: string; bytes: number }
  /** A request of the page was refused. */
  | { type: 'refused'; request: string; reason: Refusal; bytes: number };

/**
 * Why a request of a page is refused: the page may not make it, there is no such command or question, the
 * command is over or the question was answered, or it is no request at all.
 */
export type Refusal = 'control' | 'unknown' | 'over' | 'invalid';

export type MessageFromPage =
  /** Follow the output of this command from its beginning, and of no other; `null` for none. */
  | { type: 'follow'; id: string | null }
  /** The page has shown this much output (bytes), and takes as much again. */
  | { type: 'credit'; bytes: number }
  | {
      type: 'answer';
      question: number;
      verdict: 'allow' | 'deny';
      reason?: string;
      /** Allow it for the toolset: the suggested rules, or the rights beyond the sandbox. */
      forToolset?: boolean;
    }
  | { type: 'kill'; id: string }
  | { type: 'input'; id: string; text: string }
  | { type: 'resize'; id: string; cols: number; rows: number };
