import { PlainLines } from '../addon/native.ts';
import type { Job } from '../job/job.ts';
import { inside } from '../job/job.ts';
import { now } from '../support/now.ts';
import { clearTimeout, setTimeout } from '../support/timers.ts';
import type { ToolUpdate } from './api/definition.ts';

/** The longest last line in an update (UTF-16 code units). */
const MAX_TAIL = 200;

/** Gets the updates of a call. */
export type UpdateListener = (update: ToolUpdate) => void;

/** How often updates come, and what they have. */
export interface UpdateSettings {
  intervalMs: number;
  /** The most of the latest output that an update has (bytes). */
  maxBytes: number;
}

/** Returns the text that a caller may see. */
export type CleanText = (text: string) => string;

/** A command whose output is reported. */
interface Followed {
  /**
   * The unfinished lines of standard output and standard error, and the parts of them that chunks have had.
   */
  lines: [string, string];
  sent: [string, string];
  /** Whether the addon was asked for the unfinished lines and has not answered. */
  isAsked: boolean;
  stop: () => void;
}

/**
 * Reports the output of a call's commands, at most once in each interval, and once more when it has paused.
 */
class Updates {
  #listener: UpdateListener;
  #settings: UpdateSettings;
  #clean: CleanText;
  /** By the job, or by the id of a terminal of the client. */
  #followed = new Map<Job | string, Followed>();
  /** The output up to the end of the last line. */
  #text = '';
  #chunk = '';
  #hasNews = false;
  #timer: NodeJS.Timeout | undefined;
  #lastTime: number = Number.NEGATIVE_INFINITY;
  #lastText = '';
  /** The job as which the command goes on, after the answer that names it. */
  #job: ToolUpdate['job'];

  constructor(listener: UpdateListener, settings: UpdateSettings, clean: CleanText) {
    this.#listener = listener;
    this.#settings = settings;
    this.#clean = clean;
  }

  /** Reports the output of a command from now on. `shown` removes from it what no caller may see. */
  follow(job: Job, shown: CleanText): void {
    const see = (text: string) => this.#clean(shown(text));
    const take = (text: unknown, stream: unknown) =>
      this.#take(followed, stream === 'stderr' ? 1 : 0, see(text as string));
    const followed: Followed = {
      lines: ['', ''],
      sent: ['', ''],
      isAsked: false,
      stop: () => {
        job.off('data', take);
        inside.table(job).onUnfinished = null;
      },
    };
    this.#followed.set(job, followed);
    job.on('data', take);
    inside.table(job).onUnfinished = (lines) => this.#takeUnfinished(followed, lines.map(see));
    this.#arm(this.#settings.intervalMs);
  }

  /**
   * Reports at once that a command runs in a terminal of the client. Returns the function that gets the
   * output so far from then on.
   */
  open(terminalId: string): (output: string) => void {
    const followed: Followed = { lines: ['', ''], sent: ['', ''], isAsked: false, stop: () => {} };
    this.#followed.set(terminalId, followed);
    this.#listener({
      done: false,
      text: this.#lastText,
      tail: lastLine(this.#lastText),
      chunk: '',
      terminalId,
    });
    return (output) => {
      const plain = new PlainLines();
      const latest = approximateTail(output, this.#settings.maxBytes);
      const text = this.#clean(plain.push(latest) + plain.unfinished());
      const [before] = followed.lines;
      if (text === before) return;
      followed.lines[0] = text;
      this.#add(growthOf(before, text));
    };
  }

  /** Goes on with the updates on a job, after the answer that names it. */
  resume(job: Job): void {
    for (const [other, { stop }] of this.#followed) {
      if (other === job) continue;
      stop();
      this.#followed.delete(other);
    }
    this.#job = { id: job.id, state: 'running' };
  }

  /** Passes on the last update, and stops. */
  end(update: ToolUpdate): void {
    const listener = this.#listener;
    this.stop();
    listener(update);
  }

  /** Stops all further updates. */
  stop(): void {
    clearTimeout(this.#timer);
    for (const { stop } of this.#followed.values()) stop();
    this.#followed.clear();
    this.#listener = () => {};
  }

  /** Takes text that is finished: whole lines, where a program may overwrite one. */
  #take(followed: Followed, stream: 0 | 1, text: string): void {
    const sent = followed.sent[stream];
    const part = text.startsWith(sent) ? text.slice(sent.length) : `\n${text}`;
    followed.lines[stream] = '';
    followed.sent[stream] = '';
    // Twice the limit, so that the text is cut seldom.
    this.#text = approximateTail(this.#text + text, this.#settings.maxBytes);
    this.#add(part);
  }

  /** Takes the lines so far. A chunk has only the growth of one, because a chunk can't take anything back. */
  #takeUnfinished(followed: Followed, lines: string[]): void {
    followed.isAsked = false;
    let growth = '';
    for (const stream of [0, 1] as const) {
      const line = lines[stream] ?? '';
      followed.lines[stream] = line;
      if (!line.startsWith(followed.sent[stream])) continue;
      growth += line.slice(followed.sent[stream].length);
      followed.sent[stream] = line;
    }
    this.#add(growth);
  }

  #add(chunk: string): void {
    this.#chunk = approximateTail(this.#chunk + chunk, this.#settings.maxBytes);
    this.#hasNews = true;
    const rest = this.#lastTime + this.#settings.intervalMs - now();
    if (rest <= 0) this.#report();
    else this.#arm(rest);
  }

  #arm(delay: number): void {
    this.#timer ??= setTimeout(() => this.#tick(), delay).unref();
  }

  /** Reports what is new after an interval, and asks for the unfinished lines of the next one. */
  #tick(): void {
    this.#timer = undefined;
    if (this.#hasNews) this.#report();
    for (const [job, followed] of this.#followed) {
      if (typeof job === 'string' || followed.isAsked) continue;
      followed.isAsked = true;
      inside.askForUnfinished(job);
    }
  }

  #report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hasNews = false;
    const { intervalMs, maxBytes } = this.#settings;
    const lines = [...this.#followed.values()].flatMap((followed) => followed.lines);
    const text = lastOf(this.#text + lines.join(''), maxBytes);
    const chunk = lastOf(this.#chunk, maxBytes);
    this.#chunk = '';
    if (text !== this.#lastText || chunk !== '') {
      this.#lastText = text;
      const job = this.#job === undefined ? {} : { job: { ...this.#job } };
      this.#listener({ done: false, text, tail: lastLine(text), chunk, ...job });
      // Counted from here, a listener that takes long has the interval for itself.
      this.#lastTime = now();
    }
    this.#arm(intervalMs);
  }
}

/** How much of the end of earlier output is looked for in later output (UTF-16 code units). */
const MAX_OVERLAP = 256;

/**
 * Returns what later output adds to earlier output, whose beginning may be gone from it. Where the last line
 * was written anew, that is a line of its own.
 */
function growthOf(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const whole = before.slice(0, before.lastIndexOf('\n') + 1);
  for (const [seen, start] of [
    [before, ''],
    [whole, '\n'],
  ] as const) {
    const end = seen.slice(-MAX_OVERLAP);
    const place = end === '' ? -1 : after.lastIndexOf(end);
    if (place !== -1) return start + after.slice(place + end.length);
  }
  return `\n${after}`;
}

/** Returns at least the end of a text: so many bytes, or all of it. */
function approximateTail(text: string, most: number): string {
  return text.length <= 2 * most ? text : text.slice(-most);
}

/** Returns the end of a text, so many bytes at most, from a whole character on. */
function lastOf(text: string, most: number): string {
  // A UTF-16 code unit is three bytes of UTF-8 at most.
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.from(text.slice(-most));
  if (bytes.length <= most) return bytes.length === 0 ? '' : bytes.toString();
  let start = bytes.length - most;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString('utf8', start);
}

/** Returns the last line that is not blank. */
function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return [...line.slice(0, 2 * MAX_TAIL)].slice(0, MAX_TAIL).join('');
}

/**
 * Returns a function that passes updates on to a caller's listener until it throws: the error is the
 * listener's own, and the call must settle anyway. Anything but a function listens to nothing.
 */
function dropAfterThrow(listener: unknown): UpdateListener {
  let current: UpdateListener | undefined =
    typeof listener === 'function' ? (listener as UpdateListener) : undefined;
  return (update) => {
    try {
      current?.(update);
    } catch {
      current = undefined;
    }
  };
}

export { dropAfterThrow, lastLine, Updates };
