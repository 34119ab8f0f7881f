import type { InputWait } from '../../job/inspection/api.ts';
import type { LiveDecision, LiveEnd, LiveEvent, LiveQuestion, LiveStart, LiveState } from '../api.ts';
import type { Control, MessageToPage, Stamped } from '../view/messages.ts';

/** The most commands that the page remembers. */
const MAX_ENTRIES = 10_000;

/** A command of the list: one that was started, or that was denied. */
export interface ListedCommand {
  key: string;
  seq: number;
  time: number;
  /** The id of a command that was started. */
  id: string | null;
  command: string;
  start: LiveStart | null;
  wait: InputWait | null;
  /** The size of its terminal. */
  pty: { cols: number; rows: number } | null;
  state: LiveState | null;
  end: Stamped<LiveEnd> | null;
  /** Why it did not start. */
  denial: LiveDecision | null;
}

export type StatusName = 'running' | 'waiting' | 'ok' | 'failed' | 'stopped' | 'denied';

/** The status of a command, with the sign and the words for it. */
export interface Status {
  name: StatusName;
  sign: string;
  words: string;
}

/** The state of the page: all commands and questions, by the messages that it gets. */
class Model {
  title = '';
  control: Control = 'none';
  /** The commands in the order in which they came. */
  entries: ListedCommand[] = [];
  /** The questions that this page may be asked, by their numbers. */
  questions: Map<number, Stamped<LiveQuestion>> = new Map();
  #byKey = new Map<string, ListedCommand>();

  get(id: string | null): ListedCommand | undefined {
    return id === null ? undefined : this.#byKey.get(id);
  }

  get running(): number {
    return this.entries.filter(({ start, end }) => start !== null && end === null).length;
  }

  /** Takes a message that is about more than the output of one command. */
  apply(message: MessageToPage): void {
    switch (message.type) {
      case 'hello':
        this.#hello(message);
        break;
      case 'asks':
        this.questions.set(message.question.question, message.question);
        break;
      case 'event':
        this.#event(message.event);
    }
  }

  #hello({
    since,
    title,
    control,
    commands,
    questions,
    others,
  }: Extract<MessageToPage, { type: 'hello' }>): void {
    if (since === 0) {
      this.entries = [];
      this.#byKey.clear();
    }
    this.title = title;
    this.control = control;
    this.questions = new Map(questions.map((question) => [question.question, question]));
    for (const { start, latest } of commands) {
      this.#event(start);
      for (const event of latest) this.#event(event);
    }
    for (const event of others) if (event.type === 'decision') this.#decision(event);
    this.entries.sort((a, b) => a.seq - b.seq);
  }

  #event(event: LiveEvent): void {
    if (event.type === 'start') this.#start(event);
    else if (event.type === 'decision') this.#decision(event);
    const entry = 'id' in event ? this.#byKey.get(event.id) : undefined;
    if (entry === undefined) return;
    switch (event.type) {
      case 'waiting':
        entry.wait = event.wait;
        break;
      case 'resize':
        entry.pty = { cols: event.cols, rows: event.rows };
        break;
      case 'state':
        entry.state = event;
        break;
      case 'end':
        entry.end = event;
        entry.wait = null;
    }
  }

  #start(event: Stamped<LiveStart>): void {
    const { id, command, pty } = event;
    this.#add({ ...newEntry(event, command), key: id, id, start: event, pty });
  }

  #decision(event: Stamped<LiveDecision>): void {
    if (event.question !== null) this.questions.delete(event.question);
    if (event.verdict === 'allow') return;
    this.#add({ ...newEntry(event, event.command), key: `denied-${event.seq}`, denial: event });
  }

  /** Adds a command, unless it is known. */
  #add(entry: ListedCommand): void {
    if (this.#byKey.has(entry.key)) return;
    this.entries.push(entry);
    this.#byKey.set(entry.key, entry);
    if (this.entries.length <= MAX_ENTRIES) return;
    const over = this.entries.findIndex(({ start, end }) => start === null || end !== null);
    const [oldest] = this.entries.splice(Math.max(over, 0), 1);
    this.#byKey.delete(oldest.key);
  }
}

function newEntry({ seq, time }: { seq: number; time: number }, command: string): ListedCommand {
  const nothing = { id: null, start: null, wait: null, pty: null, state: null, end: null, denial: null };
  return { key: '', seq, time, command, ...nothing };
}

/** Returns the status of a command as a sign and words. */
function statusOf({ wait, end, denial }: ListedCommand): Status {
  if (denial !== null) {
    return { name: 'denied', sign: '⊘', words: denial.verdict === 'ask' ? 'no answer' : 'denied' };
  }
  if (end === null) {
    if (wait === null) return { name: 'running', sign: '●', words: 'running' };
    const prompt = wait.kind === 'keys' ? 'keys' : wait.prompt.trim() || wait.program;
    return { name: 'waiting', sign: '⌨', words: `waits: ${prompt}` };
  }
  const { status, exitCode, signal, errorCode } = end;
  if (status === 'exited' && exitCode === 0) return { name: 'ok', sign: '✓', words: 'exit 0' };
  if (status === 'exited') return { name: 'failed', sign: '✗', words: `exit ${exitCode}` };
  if (status === 'denied') return { name: 'denied', sign: '⊘', words: 'denied' };
  const more = signal ?? errorCode;
  const name = status === 'signaled' || status === 'aborted' ? 'stopped' : 'failed';
  return { name, sign: name === 'stopped' ? '■' : '✗', words: more === null ? status : `${status}, ${more}` };
}

/** Returns how long a command runs, or ran (ms); `null` for one that was not started. */
function durationOf({ start, time, end }: ListedCommand, now: number): number | null {
  if (start === null) return null;
  return end === null ? now - time : end.durationMs;
}

export { durationOf, Model, statusOf };
