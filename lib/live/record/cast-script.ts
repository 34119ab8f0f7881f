import type { Screen } from '../../job/inspection/api.ts';
import type { ObservedEvent } from '../../observe/observers.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import type { LiveEnd, LiveResize, LiveStart } from '../api.ts';
import type { SafeText } from '../output/output-reader.ts';
import { refusedText } from '../view/refused-text.ts';
import { Asciicast } from './asciicast.ts';
import {
  CLEAR,
  continued,
  ending,
  endLine,
  gapLine,
  promptLine,
  RESET,
  red,
  screenText,
  TerminalLines,
  withReturns,
} from './cast-screen.ts';
import type { RecordPlan } from './record-options.ts';

/** An event, output or a gap for a recording, in the order of the times. */
export type CastEntry = { time: number } & (
  | { event: ObservedEvent; input?: string | undefined }
  | { id: string; text: Pick<SafeText, 'stream' | 'text'> }
  | { id: string; gap: number; screen: Screen | null }
);

/** A running command in the recording. */
interface ShownCommand {
  start: LiveStart;
  /** The command's terminal as plain lines, where other commands are shown too. */
  lines: TerminalLines | null;
}

/**
 * Writes the lines of a recording: what happens to all commands, shown in one terminal.
 *
 * A recording of one command with a terminal has that terminal's size and bytes alone, so that its screen is
 * exact. Otherwise a command with a terminal has the screen for itself while it runs alone.
 */
class CastScript {
  #plan: RecordPlan;
  #isOne: boolean;
  #push: (line: string, isLast?: boolean) => void;
  #cast = new Asciicast();
  #running = new Map<string, ShownCommand>();
  /** The command that has the screen for itself. */
  #owner: ShownCommand | null = null;
  /** The command whose text is the last one; `null` for text of the recording. */
  #last: string | null = null;
  #isAtLineStart = true;
  /** The origin of the text that follows, as its comment names it. */
  #origin = '';
  #seq = 0;
  #latest = 0;
  #hasHeader = false;
  #exitCode = 0;

  /** @param isOne whether the recording is that of one command */
  constructor(plan: RecordPlan, isOne: boolean, push: (line: string, isLast?: boolean) => void) {
    this.#plan = plan;
    this.#isOne = isOne;
    this.#push = push;
  }

  write(entry: CastEntry): void {
    this.#latest = Math.max(entry.time, this.#latest);
    if (!this.#hasHeader) this.#header(entry);
    if ('text' in entry) this.#output(entry.time, entry.id, entry.text);
    else if ('gap' in entry) this.#gap(entry.time, entry);
    else this.#event(entry.event, entry.input);
  }

  /** Writes the last line. */
  finish(): void {
    if (this.#hasHeader) this.#push(this.#cast.exit(this.#latest, this.#isOne ? this.#exitCode : 0), true);
  }

  #header(entry: CastEntry): void {
    this.#hasHeader = true;
    const first = 'event' in entry && entry.event.type === 'start' ? entry.event : null;
    const ofOne = this.#isOne ? first : null;
    const { cols, rows } = ofOne?.pty ?? this.#plan;
    const title = this.#plan.title ?? ofOne?.command ?? `bash in ${first?.cwd ?? process.cwd()}`;
    const { idleTimeLimit } = this.#plan;
    this.#push(
      this.#cast.header({ cols, rows, timestamp: Math.floor(entry.time / 1_000), idleTimeLimit, title }),
    );
  }

  #event(event: ObservedEvent, input: string | undefined): void {
    const { time } = event;
    if (event.type === 'end') {
      this.#end(event);
      return;
    }
    this.#comment(event);
    switch (event.type) {
      case 'start':
        this.#start(event);
        break;
      case 'question':
        this.#mark(time, `asks: ${event.command}`);
        break;
      case 'decision':
        if (event.verdict !== 'allow') this.#mark(time, `denied: ${event.command}`);
        break;
      case 'waiting':
        if (event.wait !== null) this.#mark(time, `waits: ${event.wait.prompt || event.wait.program}`);
        break;
      case 'input':
        if (input !== undefined) for (const line of this.#cast.text(time, 'i', input)) this.#push(line);
        break;
      case 'resize':
        this.#resize(event);
    }
  }

  #start(start: LiveStart & { time: number }): void {
    const shown: ShownCommand = { start, lines: null };
    const isAlone = this.#running.size === 0;
    this.#running.set(start.id, shown);
    this.#mark(start.time, `$ ${start.command}`);
    if (this.#isOne && start.pty !== null) {
      this.#owner = shown;
      return;
    }
    if (this.#owner !== null) this.#leaveScreen(start.time);
    this.#own(start.time, promptLine(start.command));
    this.#last = start.id;
    if (start.pty === null) return;
    if (isAlone) {
      this.#owner = shown;
      this.#push(this.#cast.resize(start.time, start.pty.cols, start.pty.rows));
      this.#own(start.time, CLEAR);
    } else {
      shown.lines = new TerminalLines();
    }
  }

  #output(time: number, id: string, { stream, text }: Pick<SafeText, 'stream' | 'text'>): void {
    const shown = this.#running.get(id);
    if (shown === undefined) return;
    if (shown === this.#owner) {
      this.#text(time, id, stream, text);
      return;
    }
    const lines = shown.lines?.push(text) ?? text;
    if (lines === '') return;
    this.#continue(time, shown);
    const whole = withReturns(lines);
    this.#text(time, id, stream, stream === 'stderr' ? red(whole) : whole);
    this.#isAtLineStart = lines.endsWith('\n');
  }

  #end(end: LiveEnd & { time: number }): void {
    const { time, id } = end;
    const shown = this.#running.get(id);
    if (shown !== undefined) {
      const rest = shown.lines?.rest() ?? '';
      if (rest !== '') this.#output(time, id, { stream: 'stdout', text: rest });
      for (const refusal of end.refused) this.#mark(time, `refused: ${refusedText(refusal)}`);
      const { command } = shown.start;
      if (end.exitCode !== 0) this.#mark(time, `${ending(end)}: ${command}`);
      const isExact = this.#isOne && shown === this.#owner;
      if (shown === this.#owner && !this.#isOne) this.#leaveScreen(time);
      if (!isExact) {
        this.#continue(time, shown);
        this.#own(time, (this.#isAtLineStart ? '' : '\r\n') + endLine(end));
      }
      this.#running.delete(id);
      this.#exitCode = exitCodeOf(end);
    }
    this.#comment(end);
  }

  #gap(time: number, { id, gap, screen }: { id: string; gap: number; screen: Screen | null }): void {
    const shown = this.#running.get(id);
    if (shown === undefined) return;
    this.#comment({ type: 'gap', time, id, bytes: gap });
    this.#mark(time, `gap: ${gap} bytes`);
    if (shown !== this.#owner) {
      this.#continue(time, shown);
      this.#own(time, (this.#isAtLineStart ? '' : '\r\n') + gapLine(gap));
    } else if (screen !== null) this.#own(time, screenText(screen));
  }

  #resize({ time, id, cols, rows }: LiveResize & { time: number }): void {
    const shown = this.#running.get(id);
    if (shown === undefined) return;
    shown.start = { ...shown.start, pty: { cols, rows } };
    if (shown === this.#owner) this.#push(this.#cast.resize(time, cols, rows));
  }

  /** Takes the screen from the command that has it for itself: it goes on as lines. */
  #leaveScreen(time: number): void {
    if (this.#owner === null) return;
    this.#owner.lines = new TerminalLines();
    this.#owner = null;
    this.#own(time, RESET);
    this.#push(this.#cast.resize(time, this.#plan.cols, this.#plan.rows));
  }

  /** Says which command goes on, where text of another one was shown last. */
  #continue(time: number, { start: { id, command } }: ShownCommand): void {
    if (this.#last === id) return;
    this.#own(time, (this.#isAtLineStart ? '' : '\r\n') + continued(id, command));
    this.#last = id;
  }

  /** Writes text of the recording itself, which ends a line or clears the screen. */
  #own(time: number, text: string): void {
    this.#text(time, null, null, text);
    this.#isAtLineStart = true;
  }

  #text(time: number, id: string | null, stream: string | null, text: string): void {
    const origin = `${id} ${stream}`;
    if (origin !== this.#origin) {
      this.#push(this.#cast.comment({ type: 'output', id, ...(stream === null ? {} : { stream }) }));
      this.#origin = origin;
    }
    for (const line of this.#cast.text(time, 'o', text)) this.#push(line);
  }

  #mark(time: number, text: string): void {
    this.#push(this.#cast.marker(time, text));
  }

  #comment(event: object): void {
    this.#seq++;
    this.#push(this.#cast.comment({ seq: this.#seq, ...event }));
  }
}

export { CastScript };
