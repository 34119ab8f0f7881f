import type { ObservedCommand } from '../../observe/observed-command.ts';
import { isRecord } from '../../options/checks.ts';
import type { LiveEvent, LiveQuestion } from '../api.ts';
import type { FollowedPiece } from '../output/followed-output.ts';
import { FollowedOutput } from '../output/followed-output.ts';
import type { KnownCommand, LiveCommands } from './live-commands.ts';
import type { Control, MessageToPage, Refusal, Stamped } from './messages.ts';
import { FIRST_CREDIT } from './messages.ts';
import type { Questions } from './questions.ts';

/** The state that the pages of a `Live` share. */
export interface SharedView {
  commands: LiveCommands;
  questions: Questions;
  /** Returns the message with what has happened since an event, by its number. */
  hello(control: Control, since: number): Extract<MessageToPage, { type: 'hello' }>;
  /** Returns the number of the latest event. */
  seq(): number;
}

/** The most characters that one message types. */
const MAX_INPUT_LENGTH = 64 * 1024;

/** The largest size of a terminal. */
const MAX_CELLS = 1_000;

/** The host's end of one page, over a port or the server: its credits, and its rights. */
class Viewer {
  #shared: SharedView;
  #control: Control;
  #send: (message: MessageToPage) => void;
  #credit = FIRST_CREDIT;
  /** Whether events were dropped, so that the page needs those since the last one that it has got. */
  #isBehind = false;
  #seq: number;
  #followed: FollowedOutput | null = null;
  #isDone = false;
  #isClosed = false;

  constructor(shared: SharedView, control: Control, send: (message: MessageToPage) => void) {
    this.#shared = shared;
    this.#control = control;
    this.#send = send;
    if (this.#mayAnswer()) shared.questions.addAnswerers(1);
    this.#seq = shared.seq();
    send(shared.hello(control, 0));
  }

  asks(question: Stamped<LiveQuestion>): void {
    this.#give({ type: 'asks', question, bytes: JSON.stringify(question).length });
  }

  /** Passes on an event of any command. */
  push(event: Exclude<LiveEvent, { type: 'output' | 'gap' }>): void {
    if (event.type === 'end' && this.#followed?.known.start.id === event.id) this.#pump();
    if (this.#credit <= 0 || this.#isBehind) {
      this.#isBehind = true;
      return;
    }
    this.#seq = event.seq;
    this.#give({ type: 'event', event, bytes: JSON.stringify(event).length });
  }

  /** Handles a message of the page. Anything may be in it. Returns why it is refused, or `null`. */
  handle(message: unknown): Refusal | null {
    if (this.#isClosed) return 'over';
    const given = isRecord(message) ? message : {};
    const refusal = this.#act(given);
    if (refusal === null) return null;
    const request = typeof given.type === 'string' ? given.type.slice(0, 20) : '';
    this.#give({ type: 'refused', request, reason: refusal, bytes: 100 });
    return refusal;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unfollow();
    if (this.#mayAnswer()) this.#shared.questions.addAnswerers(-1);
  }

  #act(given: Record<string, unknown>): Refusal | null {
    switch (given.type) {
      case 'follow':
        return this.#follow(given.id);
      case 'credit':
        return this.#restore(given.bytes);
      case 'answer': {
        if (!this.#mayAnswer()) return 'control';
        const { question, verdict, reason, forToolset } = given;
        return this.#shared.questions.answer(question, { verdict, reason, forToolset });
      }
      case 'kill':
        return this.#onCommand(given.id, ({ job }) => void job?.kill());
      case 'input': {
        const { text } = given;
        if (typeof text !== 'string' || text.length > MAX_INPUT_LENGTH) return 'invalid';
        return this.#onCommand(given.id, ({ job }) => void job?.write(text));
      }
      case 'resize': {
        const { cols, rows } = given;
        if (!isCells(cols) || !isCells(rows)) return 'invalid';
        return this.#onCommand(given.id, ({ job, facts }) => {
          if (facts.pty !== null) job?.resize(cols, rows);
        });
      }
      default:
        return 'invalid';
    }
  }

  #mayAnswer(): boolean {
    return this.#control !== 'none';
  }

  /** Lets the page act on a running command. */
  #onCommand(id: unknown, act: (command: ObservedCommand) => void): Refusal | null {
    if (this.#control !== 'all') return 'control';
    const known = typeof id === 'string' ? this.#shared.commands.get(id) : undefined;
    if (known === undefined) return 'unknown';
    const { observed } = known;
    if (known.isOver || observed === null) return 'over';
    observed.isAskedByPage = true;
    try {
      act(observed);
    } finally {
      observed.isAskedByPage = false;
    }
    return null;
  }

  #follow(id: unknown): Refusal | null {
    this.#unfollow();
    if (id === null) return null;
    const known = typeof id === 'string' ? this.#shared.commands.get(id) : undefined;
    if (known === undefined) return 'unknown';
    this.#begin(known);
    return null;
  }

  #unfollow(): void {
    this.#followed?.stop();
    if (this.#followed !== null) this.#followed.known.states.remove();
    this.#followed = null;
  }

  #begin(known: KnownCommand): void {
    const { observed, start, isOver } = known;
    const { id } = start;
    this.#isDone = false;
    this.#followed = new FollowedOutput(known, this.#shared.seq, () => this.#pump());
    known.states.add();
    // A screen is more than the end of what has drawn it.
    const screen =
      start.pty !== null && this.#followed.hasLostBeginning ? (observed?.job?.screen() ?? null) : null;
    if (screen !== null) this.#followed.skip();
    this.#give({ type: 'begin', id, screen, bytes: screen === null ? 100 : JSON.stringify(screen).length });
    const end = known.latest.get('end');
    if (isOver && observed === null && end?.type === 'end' && end.totalBytes > 0) {
      const { seq, time, totalBytes } = end;
      this.#give({ type: 'output', event: { seq, time, type: 'gap', id, bytes: totalBytes }, bytes: 100 });
    }
    this.#pump();
  }

  /** Takes credits back, and goes on with what waits for them. */
  #restore(bytes: unknown): Refusal | null {
    if (!(typeof bytes === 'number' && Number.isFinite(bytes) && bytes >= 0)) return 'invalid';
    this.#credit = Math.min(this.#credit + bytes, FIRST_CREDIT);
    if (this.#credit <= 0) return null;
    if (this.#isBehind) {
      this.#isBehind = false;
      const since = this.#seq;
      this.#seq = this.#shared.seq();
      this.#send(this.#shared.hello(this.#control, since));
    }
    this.#pump();
    return null;
  }

  /** Sends output of the followed command while there is credit. */
  #pump(): void {
    const followed = this.#followed;
    if (followed === null || this.#isDone) return;
    while (this.#credit > 0) {
      const pieces = followed.read(this.#credit);
      for (const piece of pieces) this.#giveOutput(piece);
      if (pieces.length > 0) continue;
      if (!followed.known.isOver) return;
      this.#isDone = true;
      followed.stop();
      this.#give({ type: 'done', id: followed.known.start.id, bytes: 100 });
      return;
    }
  }

  #giveOutput({ event, bytes }: FollowedPiece): void {
    this.#give({ type: 'output', event, bytes: bytes + 100 });
  }

  #give(message: MessageToPage & { bytes: number }): void {
    this.#credit -= message.bytes;
    if (!this.#isClosed) this.#send(message);
  }
}

function isCells(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 2 && (value as number) <= MAX_CELLS;
}

export { Viewer };
