import { wallNow } from '../../support/now.ts';
import type { LiveGap, LiveOutput } from '../api.ts';
import type { KnownCommand } from '../view/live-commands.ts';
import type { Stamped } from '../view/messages.ts';
import { OutputReader } from './output-reader.ts';
import { Pace } from './pace.ts';

/** The most output that is read at once (bytes). */
const READ_BYTES = 64 * 1024;

/** An event of output, and its length (bytes of the command's output). */
export interface FollowedPiece {
  event: Stamped<LiveOutput> | Stamped<LiveGap>;
  bytes: number;
}

/** The output of a command for one reader: an iterator, or a page. */
class FollowedOutput {
  readonly known: KnownCommand;
  #reader: OutputReader | null;
  #pace: Pace;
  #stop: () => void;
  #seq: () => number;

  /**
   * @param seq returns the number of the latest event
   * @param onOutput is called when there is output to be read
   */
  constructor(known: KnownCommand, seq: () => number, onOutput: () => void) {
    this.known = known;
    this.#seq = seq;
    const { observed } = known;
    this.#reader = observed && new OutputReader(observed);
    this.#pace = new Pace(onOutput);
    this.#stop = observed === null || known.isOver ? nothing : observed.follow(() => this.#pace.request());
  }

  /** Reads what there is, at most `most` bytes. Returns nothing if there is none now. */
  read(most: number): FollowedPiece[] {
    const { known } = this;
    const { id } = known.start;
    // The output of a command may be dropped while it is followed.
    if (known.observed === null || this.#reader === null) return [];
    const { dropped, texts, isMore } = this.#reader.read(Math.min(most, READ_BYTES));
    const whole = isMore || !known.isOver ? texts : [...texts, ...this.#reader.rest()];
    if (!isMore) known.observed.watch();
    const seq = this.#seq();
    const time = texts[0]?.time ?? wallNow();
    const gap: FollowedPiece[] =
      dropped === 0 ? [] : [{ event: { seq, time, type: 'gap', id, bytes: dropped }, bytes: 0 }];
    return [
      ...gap,
      ...whole.map(({ stream, text, time: at, cursor }) => ({
        event: { seq, time: at || time, type: 'output' as const, id, stream, text, cursor },
        bytes: Buffer.byteLength(text),
      })),
    ];
  }

  /** Whether the buffer of the command has lost the beginning of its output. */
  get hasLostBeginning(): boolean {
    return this.known.observed?.read(0, 0)?.dropped !== 0;
  }

  /** Skips what was written so far. */
  skip(): void {
    this.#reader?.skip(0);
  }

  stop(): void {
    this.#stop();
    this.#pace.cancel();
  }
}

function nothing(): void {}

export { FollowedOutput };
