import type { MessageFromPage, MessageToPage } from '../view/messages.ts';
import { CommandList } from './command-list.ts';
import { Detail } from './detail.ts';
import { button, element, setText, visible } from './elements.ts';
import type { ListedCommand } from './model.ts';
import { Model } from './model.ts';
import { QuestionBar } from './question-bar.ts';
import { type NamedCast, RecordingSource } from './replay/recording-source.ts';
import type { MessageSource, Receiver } from './sources.ts';
import { connectPort, credits, ServerSource } from './sources.ts';

/** Where a page gets its messages from. */
export type From =
  | { port: MessagePort; nonce?: string }
  | { url: string; token: string; nonce?: string }
  | { recordings: readonly NamedCast[]; nonce?: string };

const THEMES = { auto: '◐', light: '☀', dark: '☾' } as const;
type Theme = keyof typeof THEMES;

/** The time between two reports of the status (ms). */
const STATUS_MS = 100;

/** The whole page: what connects the source, the model and the views. */
class App implements Receiver {
  readonly element: HTMLElement = element('div', { class: 'app', tabindex: -1 });
  #model = new Model();
  #source: MessageSource;
  #credits = credits((message) => this.#send(message));
  #list: CommandList;
  #questions = new QuestionBar((message) => this.#send(message));
  #detail: Detail;
  #title = element('h1');
  #state = element('span', { class: 'state', role: 'status' });
  #counts = element('span', { class: 'counts' });
  #latest = button('Follow newest', () => this.#followNewest(), { 'aria-pressed': 'true', class: 'follow' });
  #theme: Theme = 'auto';
  /** The command that the person has chosen; `null` to show the newest one. */
  #chosen: string | null = null;
  #shown: string | null = null;
  #isDrawing = false;
  #statusTimer: number | undefined;
  #timer: number;
  #onStatus: (status: { title: string; running: number; questions: number }) => void;
  #keys = (event: KeyboardEvent) => this.#key(event);

  constructor(from: From, onStatus: (status: { title: string; running: number; questions: number }) => void) {
    this.#onStatus = onStatus;
    this.#list = new CommandList((entry, isOpened) => this.#choose(entry, isOpened));
    this.#detail = new Detail({
      send: (message) => this.#send(message),
      onBack: () => this.#back(),
      nonce: from.nonce,
      hasPlayer: !('recordings' in from),
    });
    const theme = button(THEMES.auto, () => this.#nextTheme(theme), {
      'aria-label': 'Theme: as the system',
      class: 'theme',
    });
    const top = element(
      'header',
      { class: 'top' },
      this.#title,
      this.#state,
      this.#counts,
      this.#latest,
      theme,
    );
    const body = element('main', { class: 'body' }, this.#list.element, this.#detail.element);
    this.element.append(top, this.#questions.element, body);
    this.#detail.show(null);
    this.element.addEventListener('keydown', this.#keys);
    this.#source = this.#connect(from);
    this.#timer = setInterval(() => this.#draw(), 1_000) as unknown as number;
    this.#draw();
  }

  message(message: MessageToPage): void {
    switch (message.type) {
      case 'begin':
        if (message.id === this.#shown) this.#detail.begin(message.screen);
        break;
      case 'output': {
        const { event, bytes } = message;
        if (event.id === this.#shown) this.#detail.push(event, event.time, () => this.#credits.give(bytes));
        else this.#credits.give(bytes);
        return;
      }
      case 'done':
        if (message.id === this.#shown) this.#detail.done();
        break;
      case 'refused':
        break;
      default:
        this.#model.apply(message);
        this.#draw();
        if (message.type === 'hello' && message.since === 0) this.#restart();
    }
    if ('bytes' in message) this.#credits.give(message.bytes);
  }

  state(state: Parameters<Receiver['state']>[0], why = ''): void {
    const words = {
      connecting: 'connecting…',
      live: 'live',
      lost: 'connection lost, trying again…',
      ended: `ended: ${why}`,
    };
    this.#state.dataset.state = state;
    setText(this.#state, words[state]);
    if (state === 'live') this.#credits.reset();
  }

  dispose(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#statusTimer);
    this.#source.close();
    this.#detail.show(null);
    this.element.remove();
  }

  #connect(from: From): MessageSource {
    if ('port' in from) return connectPort(from.port, this);
    if ('url' in from) return new ServerSource(from.url, from.token, this);
    const source = new RecordingSource(from.recordings, this);
    this.state('live');
    this.#state.textContent = 'recording';
    this.element.append(element('footer', {}, source.player.element));
    // The receiver is needed before the source is there.
    queueMicrotask(() => source.player.play());
    return source;
  }

  #send(message: MessageFromPage): void {
    this.#source.send(message);
  }

  /** Follows again what is shown, after the source has begun anew. */
  #restart(): void {
    const before = this.#shown;
    this.#shown = null;
    if (before !== null) this.#detail.show(null);
  }

  #draw(): void {
    // A page in the background draws nothing, and its title says what there is.
    this.#statusTimer ??= setTimeout(() => this.#reportStatus(), STATUS_MS) as unknown as number;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  }

  #reportStatus(): void {
    this.#statusTimer = undefined;
    const { title, running, questions } = this.#model;
    this.#onStatus({ title, running, questions: questions.size });
  }

  #drawNow(): void {
    const { title, running, questions, control, entries } = this.#model;
    const entry = this.#requestedCommand();
    if (entry?.key !== this.#shown) this.#show(entry);
    setText(this.#title, visible(title));
    const asked =
      questions.size === 0 ? '' : ` · ${questions.size} ${questions.size === 1 ? 'question' : 'questions'}`;
    setText(this.#counts, `${running} running${asked}`);
    this.#latest.setAttribute('aria-pressed', String(this.#chosen === null));
    this.#questions.update(questions.values(), control !== 'none');
    this.#list.update(entries, this.#shown);
    this.#detail.update(control);
  }

  /** Returns the command to show: the chosen one, or the newest that runs. */
  #requestedCommand(): ListedCommand | undefined {
    const { entries } = this.#model;
    const chosen = this.#chosen === null ? undefined : entries.find(({ key }) => key === this.#chosen);
    const isRunning = ({ start, end }: ListedCommand) => start !== null && end === null;
    return (
      chosen ??
      entries.findLast(isRunning) ??
      entries.find(({ key }) => key === this.#shown) ??
      entries.at(-1)
    );
  }

  #show(entry: ListedCommand | undefined): void {
    this.#shown = entry?.key ?? null;
    this.#detail.show(entry ?? null);
    this.#send({ type: 'follow', id: entry?.id ?? null });
  }

  #choose(entry: ListedCommand, isOpened: boolean): void {
    this.#chosen = entry.key;
    if (isOpened) this.element.classList.add('has-detail');
    this.#drawNow();
    if (isOpened) this.#detail.focus();
  }

  #followNewest(): void {
    this.#chosen = null;
    this.#draw();
  }

  #back(): void {
    this.element.classList.remove('has-detail');
    this.#list.focus();
  }

  #nextTheme(toggle: HTMLButtonElement): void {
    const names = Object.keys(THEMES) as Theme[];
    this.#theme = names[(names.indexOf(this.#theme) + 1) % names.length];
    this.element.style.colorScheme = this.#theme === 'auto' ? '' : this.#theme;
    setText(toggle, THEMES[this.#theme]);
    toggle.setAttribute('aria-label', `Theme: ${this.#theme === 'auto' ? 'as the system' : this.#theme}`);
    this.#detail.setColors();
  }

  #key(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as HTMLElement;
    const isField = target.tagName === 'INPUT' || target.tagName === 'TEXTAREA';
    if (event.key === 'F6') {
      event.preventDefault();
      this.#nextPane();
    } else if (event.key === '/' && !isField) {
      event.preventDefault();
      this.element.classList.remove('has-detail');
      this.#list.focusFilter();
    }
  }

  /** Gives the keyboard to the next of: the questions, the list, the command. */
  #nextPane(): void {
    const active = (this.element.getRootNode() as ShadowRoot).activeElement;
    if (this.#list.element.contains(active)) this.#detail.focus();
    else if (this.#detail.element.contains(active) && this.#questions.focus()) return;
    else this.#back();
  }
}

export { App };
