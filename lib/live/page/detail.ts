import type { Screen } from '../../job/inspection/api.ts';
import type { LiveGap, LiveOutput } from '../api.ts';
import type { Control, MessageFromPage } from '../view/messages.ts';
import { button, durationText, element, setText, timeOfDay, visible } from './elements.ts';
import { Facts } from './facts.ts';
import type { ListedCommand } from './model.ts';
import { durationOf, statusOf } from './model.ts';
import { OutputView } from './output/output-view.ts';
import { castOf } from './replay/cast-of.ts';
import { Moments } from './replay/moments.ts';
import type { Moment } from './replay/player.ts';
import { Player } from './replay/player.ts';

/** The page's functions and settings for the view of a command. */
export interface DetailOptions {
  send: (message: MessageFromPage) => void;
  onBack: () => void;
  nonce: string | undefined;
  /** Whether commands can be played again one by one: a recording is played as a whole. */
  hasPlayer: boolean;
}

/** The view of one command: its line, its state, and its output. */
class Detail {
  readonly element: HTMLElement;
  #options: DetailOptions;
  #entry: ListedCommand | null = null;
  #control: Control = 'none';
  #output: OutputView | null = null;
  #player: Player<Moment> | null = null;
  /** The output so far, to play it again and to save it. */
  #moments = new Moments();
  #isDone = false;
  #isTyping = false;
  #command = element('pre', { class: 'cmd', tabindex: 0, 'aria-label': 'Command' });
  #status = element('span', { class: 'status' });
  #facts = new Facts();
  #actions = element('div', { class: 'actions' });
  #place = element('div', { class: 'place' });
  #paste = element('div', { class: 'paste', hidden: true });
  #bar = element('div', { class: 'bar', hidden: true });
  #buttons: Record<'kill' | 'type' | 'fit' | 'read' | 'save' | 'play', HTMLButtonElement>;

  constructor(options: DetailOptions) {
    this.#options = options;
    this.#buttons = {
      play: button('▶ Replay', () => this.#replay(), { title: 'Play the output in its time' }),
      type: button('Type', () => this.#toggleTyping(), { 'aria-pressed': 'false' }),
      fit: button('Fit', () => this.#fit(), { title: 'Give the terminal the size of this page' }),
      read: button('Screen reader', () => this.#toggleReading(), {
        'aria-pressed': 'false',
        title: 'Offer the terminal to screen readers',
      }),
      save: button('Save .cast', () => this.#save(), { title: 'Save the output for asciinema' }),
      kill: button('Kill', () => this.#onEntry((id) => options.send({ type: 'kill', id })), {
        class: 'danger',
      }),
    };
    this.#actions.append(...Object.values(this.#buttons));
    const back = button('‹ Commands', options.onBack, { class: 'back' });
    const top = element('div', { class: 'head-top' }, back, this.#status, this.#actions);
    const head = element('header', { class: 'head' }, top, this.#command, this.#facts.element);
    this.element = element('section', { class: 'detail', 'aria-label': 'The command' });
    this.element.append(head, this.#paste, this.#place, this.#bar, this.#facts.processes);
  }

  /** Shows a command, whose output follows. */
  show(entry: ListedCommand | null): void {
    this.#entry = entry;
    this.#output?.dispose();
    this.#output = null;
    this.#stopReplay();
    this.#moments.clear();
    this.#isDone = false;
    this.#isTyping = false;
    this.#place.replaceChildren();
    this.#paste.hidden = true;
    this.element.classList.toggle('nothing', entry === null);
    if (entry === null) return;
    setText(this.#command, visible(entry.command));
    if (entry.denial !== null)
      this.#place.append(element('p', { class: 'note' }, visible(entry.denial.reason ?? 'It was not run.')));
    else this.#newOutput(entry);
  }

  /** Draws what may have changed of the command. */
  update(control: Control): void {
    this.#control = control;
    const entry = this.#entry;
    if (entry === null) return;
    const { name, sign, words } = statusOf(entry);
    const took = durationOf(entry, Date.now());
    const when =
      took === null ? timeOfDay(entry.time) : `${durationText(took)}, since ${timeOfDay(entry.time)}`;
    this.#status.className = `status ${name}`;
    setText(this.#status, `${sign} ${visible(words)} · ${when}`);
    this.#facts.update(entry);
    if (entry.pty !== null) this.#output?.resize(entry.pty);
    this.#updateButtons(entry);
  }

  /** Forgets the output, which begins again. */
  begin(screen: Screen | null): void {
    this.#stopReplay();
    this.#moments.clear();
    this.#isDone = false;
    this.#output?.clear();
    if (screen !== null) this.#output?.draw(screen);
  }

  /** Adds output. Calls `onShown` when the page has taken it. */
  push(event: LiveOutput | LiveGap, time: number, onShown: () => void): void {
    this.#moments.add({ time, event });
    // While it plays again, the player shows it in its time.
    if (this.#player !== null || this.#output === null) onShown();
    else this.#output.push(event, onShown);
  }

  /** Notes that all output has come. */
  done(): void {
    this.#isDone = true;
    this.update(this.#control);
  }

  focus(): void {
    this.#place.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }

  setColors(): void {
    this.#output?.setColors();
  }

  #newOutput(entry: ListedCommand): void {
    this.#output = new OutputView(entry, {
      nonce: this.#options.nonce,
      onInput: (text) => this.#onEntry((id) => this.#options.send({ type: 'input', id, text })),
      onPaste: (text) => this.#askPaste(text),
    });
    this.#place.append(this.#output.element);
    this.#output.open();
    // The choice of the person stays.
    this.#output.offerToReaders(this.#buttons.read.getAttribute('aria-pressed') === 'true');
  }

  #updateButtons(entry: ListedCommand): void {
    const { kill, type, fit, read, save, play } = this.#buttons;
    read.hidden = entry.pty === null;
    const isRunning = entry.start !== null && entry.end === null;
    const mayAct = this.#control === 'all' && isRunning;
    kill.hidden = !mayAct;
    type.hidden = !(mayAct && entry.start?.stdin);
    fit.hidden = !(mayAct && entry.pty !== null);
    save.hidden = entry.start === null || !this.#options.hasPlayer;
    play.hidden = !(this.#isDone && this.#moments.all.length > 0 && this.#options.hasPlayer);
    if (this.#isTyping && type.hidden) this.#toggleTyping();
  }

  #toggleTyping(): void {
    this.#isTyping = !this.#isTyping;
    this.#buttons.type.setAttribute('aria-pressed', String(this.#isTyping));
    this.#output?.type(this.#isTyping);
  }

  #toggleReading(): void {
    const { read } = this.#buttons;
    const isOffered = read.getAttribute('aria-pressed') === 'false';
    read.setAttribute('aria-pressed', String(isOffered));
    this.#output?.offerToReaders(isOffered);
  }

  #fit(): void {
    const size = this.#output?.fitting();
    if (size !== undefined) this.#onEntry((id) => this.#options.send({ type: 'resize', id, ...size }));
  }

  #askPaste(text: string): void {
    const lines = text.split(/\r\n|[\r\n]/).length;
    const close = () => {
      this.#paste.hidden = true;
    };
    const paste = () => {
      close();
      this.#output?.paste(text);
    };
    this.#paste.replaceChildren(
      element('span', {}, `Paste ${lines} lines into the command?`),
      button('Paste', paste, { class: 'primary' }),
      button('Cancel', close),
    );
    this.#paste.hidden = false;
    this.#paste.querySelector('button')?.focus();
  }

  #replay(): void {
    const output = this.#output;
    if (this.#player !== null || output === null) {
      this.#stopReplay();
      output?.clear();
      for (const { event } of this.#moments.all) output?.push(event, () => {});
      return;
    }
    this.#player = new Player(this.#moments.all, {
      reset: () => output.clear(),
      apply: ({ event }) => output.push(event, () => {}),
    });
    this.#bar.replaceChildren(this.#player.element);
    this.#bar.hidden = false;
    this.#buttons.play.textContent = 'End replay';
    this.#player.play();
  }

  #stopReplay(): void {
    this.#player?.dispose();
    this.#player = null;
    this.#bar.hidden = true;
    this.#buttons.play.textContent = '▶ Replay';
  }

  #save(): void {
    const entry = this.#entry;
    if (entry === null) return;
    const url = URL.createObjectURL(
      new Blob([castOf(entry, this.#moments.all)], { type: 'application/x-asciicast' }),
    );
    const words = entry.command.match(/[A-Za-z0-9]+/g) ?? ['command'];
    element('a', { href: url, download: `${words.join('-').slice(0, 40).toLowerCase()}.cast` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  #onEntry(act: (id: string) => void): void {
    if (this.#entry?.id) act(this.#entry.id);
  }
}

export { Detail };
