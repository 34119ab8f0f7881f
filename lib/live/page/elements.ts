// Elements of the page. Text gets into them as text, and never as HTML.

type Attributes = Record<string, string | number | boolean | null | undefined>;
type Child = Node | string | null | undefined;

/** Creates an element. An attribute of `false`, `null` or `undefined` is left out. */
function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

/** Creates a button that calls `act` at each click. */
function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

/** Sets the text of an element, if it is another one. */
function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Characters that are not seen, or change the order of others. Tabs and line ends are left. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Returns a text in which every character is seen. */
function visible(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a duration as people read it: `40ms`, `2.4s`, `12s`, `3:05`, `2:00:00`. */
function durationText(ms: number): string {
  const seconds = Math.max(ms, 0) / 1_000;
  if (seconds < 0.95) return `${Math.round(ms / 10) * 10}ms`;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** Returns a length in bytes as people read it. */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [unit, value] = bytes < 1e6 ? ['kB', bytes / 1e3] : ['MB', bytes / 1e6];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour12: false });
}

export { button, durationText, element, setText, sizeText, timeOfDay, visible };
