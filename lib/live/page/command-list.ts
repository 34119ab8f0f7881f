import { button, durationText, element, setText, visible } from './elements.ts';
import type { ListedCommand } from './model.ts';
import { durationOf, statusOf } from './model.ts';

/** The height of a row (px), and the rows beyond the visible ones that are in the page. */
const ROW_HEIGHT = 50;
const OVERSCAN_ROWS = 8;

const FILTERS = ['all', 'running', 'failed'] as const;
type Filter = (typeof FILTERS)[number];

/** A row of the page. */
interface Row {
  item: HTMLElement;
  button: HTMLButtonElement;
  sign: HTMLElement;
  command: HTMLElement;
  words: HTMLElement;
  time: HTMLElement;
}

/** The list of the commands, the newest first. Only the rows around the visible ones are in the page. */
class CommandList {
  readonly element: HTMLElement;
  #onSelect: (entry: ListedCommand, isOpened: boolean) => void;
  #search = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter commands' });
  #tabs: Record<Filter, HTMLButtonElement>;
  #list = element('ul', { class: 'list', role: 'list' });
  #scroll = element('div', { class: 'scroll' }, this.#list);
  #empty = element('p', { class: 'empty' });
  #filter: Filter = 'all';
  #all: readonly ListedCommand[] = [];
  #shown: ListedCommand[] = [];
  #rows = new Map<string, Row>();
  #selected: string | null = null;
  /** The row that has the keyboard. */
  #focused: string | null = null;

  constructor(onSelect: (entry: ListedCommand, isOpened: boolean) => void) {
    this.#onSelect = onSelect;
    this.#tabs = Object.fromEntries(
      FILTERS.map((name) => [
        name,
        button(name, () => this.#setFilter(name), { 'aria-pressed': String(name === 'all') }),
      ]),
    ) as Record<Filter, HTMLButtonElement>;
    const tabs = element('div', { class: 'tabs', role: 'group', 'aria-label': 'Which commands' });
    tabs.append(...Object.values(this.#tabs));
    const tools = element('div', { class: 'tools' }, this.#search, tabs);
    this.element = element(
      'nav',
      { class: 'side', 'aria-label': 'Commands' },
      tools,
      this.#scroll,
      this.#empty,
    );
    this.#search.addEventListener('input', () => this.update(this.#all, this.#selected));
    this.#search.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      this.focus();
    });
    this.#scroll.addEventListener('scroll', () => this.#draw());
    this.#list.addEventListener('keydown', (event) => this.#key(event));
    this.#list.addEventListener('focusout', () => {
      this.#focused = null;
    });
    new ResizeObserver(() => this.#draw()).observe(this.#scroll);
  }

  /** Shows these commands. */
  update(entries: readonly ListedCommand[], selected: string | null): void {
    const before = this.#shown.length;
    this.#all = entries;
    this.#selected = selected;
    const text = this.#search.value.toLowerCase();
    const shown = entries.filter((entry) => {
      const { name } = statusOf(entry);
      const isWanted =
        this.#filter === 'all' ||
        (this.#filter === 'running'
          ? name === 'running' || name === 'waiting'
          : name === 'failed' || name === 'denied');
      return isWanted && entry.command.toLowerCase().includes(text);
    });
    this.#shown = shown.reverse();
    this.#list.style.height = `${shown.length * ROW_HEIGHT}px`;
    // The rows that a person reads stay in their place.
    if (this.#scroll.scrollTop > 0 && shown.length > before && before > 0) {
      this.#scroll.scrollTop += (shown.length - before) * ROW_HEIGHT;
    }
    const isFiltered = entries.length > 0;
    this.#empty.hidden = shown.length > 0;
    setText(this.#empty, isFiltered ? 'No command matches.' : 'No command has run yet.');
    this.#draw();
  }

  focusFilter(): void {
    this.#search.focus();
    this.#search.select();
  }

  /** Gives the keyboard to the selected row. */
  focus(): void {
    const at = this.#shown.findIndex(({ key }) => key === this.#selected);
    this.#focusRow(Math.max(at, 0));
  }

  #setFilter(name: Filter): void {
    this.#filter = name;
    for (const [each, tab] of Object.entries(this.#tabs))
      tab.setAttribute('aria-pressed', String(each === name));
    this.#scroll.scrollTop = 0;
    this.update(this.#all, this.#selected);
  }

  #draw(): void {
    const first = Math.max(Math.floor(this.#scroll.scrollTop / ROW_HEIGHT) - OVERSCAN_ROWS, 0);
    const count = Math.ceil(this.#scroll.clientHeight / ROW_HEIGHT) + 2 * OVERSCAN_ROWS;
    const now = Date.now();
    const left = new Set(this.#rows.keys());
    for (const [index, entry] of this.#shown.slice(first, first + count).entries()) {
      left.delete(entry.key);
      this.#drawRow(entry, first + index, now);
    }
    // The row with the keyboard would lose it.
    if (this.#focused !== null && left.has(this.#focused)) {
      const at = this.#shown.findIndex(({ key }) => key === this.#focused);
      if (at !== -1) {
        left.delete(this.#focused);
        this.#drawRow(this.#shown[at], at, now);
      }
    }
    for (const key of left) {
      this.#rows.get(key)?.item.remove();
      this.#rows.delete(key);
    }
  }

  #drawRow(entry: ListedCommand, at: number, now: number): void {
    const row = this.#rows.get(entry.key) ?? this.#newRow(entry.key);
    const { name, sign, words } = statusOf(entry);
    const took = durationOf(entry, now);
    row.item.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
    row.item.setAttribute('aria-setsize', String(this.#shown.length));
    row.item.setAttribute('aria-posinset', String(at + 1));
    row.button.className = `row ${name}`;
    row.button.tabIndex = entry.key === this.#selected || (this.#selected === null && at === 0) ? 0 : -1;
    if (entry.key === this.#selected) row.button.setAttribute('aria-current', 'true');
    else row.button.removeAttribute('aria-current');
    setText(row.sign, sign);
    setText(row.command, visible(entry.command.trim().replace(/\s+/g, ' ').slice(0, 200)));
    setText(row.words, visible(words));
    setText(row.time, took === null ? '' : durationText(took));
  }

  #newRow(key: string): Row {
    const sign = element('span', { class: 'sign', 'aria-hidden': 'true' });
    const command = element('span', { class: 'command' });
    const words = element('span', { class: 'words' });
    const time = element('span', { class: 'time' });
    const made = button('', () => this.#select(key, true), { 'data-key': key });
    made.append(sign, command, words, time);
    made.addEventListener('focus', () => {
      this.#focused = key;
    });
    const item = element('li', {}, made);
    this.#list.append(item);
    const row = { item, button: made, sign, command, words, time };
    this.#rows.set(key, row);
    return row;
  }

  #select(key: string, isOpened: boolean): void {
    const entry = this.#shown.find((each) => each.key === key);
    if (entry !== undefined) this.#onSelect(entry, isOpened);
  }

  #key(event: KeyboardEvent): void {
    const at = this.#shown.findIndex(({ key }) => key === this.#focused);
    const last = this.#shown.length - 1;
    const page = Math.max(Math.floor(this.#scroll.clientHeight / ROW_HEIGHT) - 1, 1);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined || at === -1) return;
    event.preventDefault();
    this.#focusRow(Math.min(Math.max(to, 0), last));
  }

  #focusRow(at: number): void {
    const entry = this.#shown[at];
    if (entry === undefined) return;
    const { scrollTop, clientHeight } = this.#scroll;
    if (at * ROW_HEIGHT < scrollTop) this.#scroll.scrollTop = at * ROW_HEIGHT;
    else if ((at + 1) * ROW_HEIGHT > scrollTop + clientHeight)
      this.#scroll.scrollTop = (at + 1) * ROW_HEIGHT - clientHeight;
    this.#focused = entry.key;
    this.#draw();
    this.#rows.get(entry.key)?.button.focus({ preventScroll: true });
    this.#select(entry.key, false);
  }
}

export { CommandList };
