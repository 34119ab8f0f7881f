import type { LiveGap, LiveOutput } from '../../api.ts';
import { button, durationText, element, setText } from '../elements.ts';

/** Output at its time (ms since 1970). */
export interface Moment {
  time: number;
  event: LiveOutput | LiveGap;
}

/** The receiver of the items that a player plays. */
export interface Stage<Item> {
  /** Goes back to the beginning. */
  reset(): void;
  apply(item: Item): void;
  /** Ends a jump, when all is applied. */
  settled?(): void;
}

/** The longest pause (ms), and the period in which a player looks for what is next. */
const MAX_PAUSE = 2_000;
const TICK_MS = 40;

const SPEEDS = [1, 2, 4, 8, 0.5];

/** Plays items in their times, with the controls for it. */
class Player<Item extends { time: number }> {
  readonly element: HTMLElement;
  #stage: Stage<Item>;
  #items: readonly Item[];
  /** The time of each item in the replay (ms). */
  #offsets: number[] = [];
  #at = 0;
  #position = 0;
  #speed = 1;
  #timer: number | undefined;
  #latest = 0;
  #toggle = button('▶', () => (this.#timer === undefined ? this.play() : this.pause()), {
    'aria-label': 'Play',
  });
  #rate = button('1×', () => this.#faster(), { 'aria-label': 'Speed' });
  #slider = element('input', { type: 'range', min: 0, step: 'any', 'aria-label': 'Position' });
  #clock = element('span', { class: 'clock' });

  constructor(items: readonly Item[], stage: Stage<Item>, longestPause: number = MAX_PAUSE) {
    this.#items = items;
    this.#stage = stage;
    let offset = 0;
    for (const [index, { time }] of items.entries()) {
      const pause = index === 0 ? 0 : time - items[index - 1].time;
      offset += Math.min(Math.max(pause, 0), longestPause);
      this.#offsets.push(offset);
    }
    this.#slider.max = String(Math.max(this.length, 1));
    this.#slider.addEventListener('input', () => this.seek(Number(this.#slider.value)));
    this.element = element('div', { class: 'player' }, this.#toggle, this.#rate, this.#slider, this.#clock);
    this.#draw();
  }

  /** The length of the replay (ms). */
  get length(): number {
    return this.#offsets.at(-1) ?? 0;
  }

  play(): void {
    if (this.#timer !== undefined) return;
    if (this.#at === 0 || this.#at >= this.#items.length) this.seek(0);
    this.#latest = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS) as unknown as number;
    this.#draw();
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
  }

  /** Goes to a position (ms). */
  seek(position: number): void {
    this.#stage.reset();
    this.#at = 0;
    this.#position = Math.min(Math.max(position, 0), this.length);
    this.#advance();
    this.#stage.settled?.();
  }

  dispose(): void {
    this.pause();
    this.element.remove();
  }

  #tick(): void {
    const now = performance.now();
    this.#position += (now - this.#latest) * this.#speed;
    this.#latest = now;
    this.#advance();
    if (this.#at >= this.#items.length) this.pause();
  }

  /** Applies what is due. */
  #advance(): void {
    while (this.#at < this.#items.length && this.#offsets[this.#at] <= this.#position) {
      this.#stage.apply(this.#items[this.#at++]);
    }
    this.#draw();
  }

  #faster(): void {
    this.#speed = SPEEDS[(SPEEDS.indexOf(this.#speed) + 1) % SPEEDS.length];
    setText(this.#rate, `${this.#speed}×`);
  }

  #draw(): void {
    const isPlaying = this.#timer !== undefined;
    setText(this.#toggle, isPlaying ? '❚❚' : '▶');
    this.#toggle.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    const position = Math.min(this.#position, this.length);
    this.#slider.value = String(position);
    const text = `${durationText(position)} / ${durationText(this.length)}`;
    setText(this.#clock, text);
    this.#slider.setAttribute('aria-valuetext', text);
  }
}

export { Player };
