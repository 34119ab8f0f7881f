import type { LiveEvent } from '../../api.ts';
import type { MessageFromPage, MessageToPage, Stamped } from '../../view/messages.ts';
import type { MessageSource, Receiver } from '../sources.ts';
import type { TimedEvent } from './parse-cast.ts';
import { parseCast } from './parse-cast.ts';
import { Player } from './player.ts';

/** A recording: its name, and its text. */
export interface NamedCast {
  name: string;
  text: string;
}

/** Plays recordings as if their commands ran now. */
class RecordingSource implements MessageSource {
  readonly player: Player<TimedEvent>;
  #receiver: Receiver;
  #title: string;
  #followed: string | null = null;
  /** The events that were played so far. */
  #played: TimedEvent[] = [];
  /** Whether it jumps: then the output of one command is sent at the end of the jump. */
  #isJumping = false;

  constructor(casts: readonly NamedCast[], receiver: Receiver) {
    this.#receiver = receiver;
    const all = casts.map(({ name, text }) => parseCast(text, name));
    this.#title = all.length === 1 ? all[0].title : `${all.length} recordings`;
    const events = all.flatMap(({ events: own }, index) =>
      all.length === 1 ? own : own.map((event) => apart(event, index)),
    );
    // The order of the times, and that of each file where they are equal.
    const sorted = events
      .sort((a, b) => a.time - b.time)
      .map((event, index) => ({ ...event, seq: index + 1 }));
    const pauses = all.map(({ longestPause }) => longestPause);
    this.player = new Player(
      sorted,
      { reset: () => this.#reset(), apply: (event) => this.#apply(event), settled: () => this.#settled() },
      Math.max(...pauses, 0),
    );
    receiver.state('live');
    this.#hello([]);
  }

  send(message: MessageFromPage): void {
    if (message.type !== 'follow') return;
    this.#followed = message.id;
    if (message.id !== null && !this.#isJumping) this.#sendOutput(message.id);
  }

  close(): void {
    this.player.dispose();
  }

  #reset(): void {
    this.#played = [];
    this.#isJumping = true;
    this.#hello([]);
  }

  #settled(): void {
    this.#isJumping = false;
    if (this.#followed !== null) this.#sendOutput(this.#followed);
  }

  #apply(event: TimedEvent): void {
    this.#played.push(event);
    if (event.type === 'output' || event.type === 'gap') {
      if (!this.#isJumping && event.id === this.#followed) {
        this.#give({
          type: 'output',
          event: event as Extract<MessageToPage, { type: 'output' }>['event'],
          bytes: 0,
        });
      }
      return;
    }
    if (event.type === 'question')
      this.#give({ type: 'asks', question: event as Stamped<typeof event>, bytes: 0 });
    this.#give({ type: 'event', event: event as Exclude<LiveEvent, { type: 'output' | 'gap' }>, bytes: 0 });
  }

  #sendOutput(id: string): void {
    this.#give({ type: 'begin', id, screen: null, bytes: 0 });
    for (const event of this.#played) {
      if ((event.type === 'output' || event.type === 'gap') && event.id === id) {
        this.#give({
          type: 'output',
          event: event as Extract<MessageToPage, { type: 'output' }>['event'],
          bytes: 0,
        });
      }
    }
  }

  #hello(commands: []): void {
    this.#give({
      type: 'hello',
      since: 0,
      title: this.#title,
      control: 'none',
      commands,
      questions: [],
      others: [],
    });
  }

  #give(message: MessageToPage): void {
    this.#receiver.message(message);
  }
}

/** Keeps the commands of several files apart, each of which may have a `job-1`. */
function apart(event: TimedEvent, index: number): TimedEvent {
  return 'id' in event ? { ...event, id: `${index + 1}/${event.id}` } : event;
}

export { RecordingSource };
