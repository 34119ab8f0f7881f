import { describe, wrong } from './options/checks.ts';

/** The sequences that a terminal sends for keys, as xterm does. */
const NAMED: Partial<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\x1b',
  esc: '\x1b',
  space: ' ',
  backspace: '\x7f',
  'shift-tab': '\x1b[Z',
  'ctrl-space': '\0',
};

/** The cursor keys, by the letter at the end of their sequences. */
const CURSOR: Partial<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  home: 'H',
  end: 'F',
};

/** The keys with a number in their sequences. */
const NUMBERED: Partial<Record<string, number>> = {
  insert: 2,
  delete: 3,
  'page-up': 5,
  pageup: 5,
  'page-down': 6,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** The first function keys, by the letter at the end of their sequences. */
const LETTERED: Partial<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };

/** The amount that each modifier adds to the number in a sequence; see {@link sequence}. */
const MODIFIERS: Record<string, number> = { shift: 1, alt: 2, ctrl: 4 };

/**
 * Returns the sequences that a terminal sends for keys, for {@link Job.write}. A name is a character (`'a'`),
 * `enter`, `tab`, `escape`, `space`, `backspace`, `up`, `down`, `left`, `right`, `home`, `end`, `insert`,
 * `delete`, `page-up`, `page-down`, `f1` to `f12`, or one of these after `ctrl-`, `alt-` or `shift-`.
 *
 * The sequences are those of xterm. `write()` sends cursor keys in the form that the program has asked for.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for an unknown name
 *
 * @example
 * job.write(keys('down', 'down', 'enter'));
 * job.write(keys('ctrl-c'));
 */
export function keys(...names: string[]): string {
  return names.map(keyOf).join('');
}

function keyOf(name: unknown): string {
  if (typeof name !== 'string') throw unknownKey(name);
  if ([...name].length === 1) return name;
  const lower = name.toLowerCase();
  if (Object.hasOwn(NAMED, lower)) return NAMED[lower] ?? '';
  const parts = lower.split(/-(?=.)/);
  const modifiers = new Set<string>();
  while (parts.length > 1 && Object.hasOwn(MODIFIERS, parts[0])) modifiers.add(parts.shift() ?? '');
  // The case of a letter counts, and the name of a key may have a hyphen.
  const key = parts.join('-');
  const text = sequence(key, modifiers) ?? withModifiers(name.slice(-key.length), key, modifiers);
  if (text === undefined) throw unknownKey(name);
  return text;
}

/** Returns the sequence of a special key. The sequence has its modifiers as a number: their sum plus one. */
function sequence(key: string, modifiers: Set<string>): string | undefined {
  const modified = 1 + [...modifiers].reduce((sum, name) => sum + MODIFIERS[name], 0);
  const isPlain = modified === 1;
  if (Object.hasOwn(CURSOR, key)) return isPlain ? `\x1b[${CURSOR[key]}` : `\x1b[1;${modified}${CURSOR[key]}`;
  if (Object.hasOwn(LETTERED, key)) {
    return isPlain ? `\x1bO${LETTERED[key]}` : `\x1b[1;${modified}${LETTERED[key]}`;
  }
  if (Object.hasOwn(NUMBERED, key)) return `\x1b[${NUMBERED[key]}${isPlain ? '' : `;${modified}`}~`;
  return undefined;
}

/**
 * Returns a character or a named key with modifiers: Ctrl converts it to a control character, Alt puts an
 * escape before it.
 */
function withModifiers(typed: string, key: string, modifiers: Set<string>): string | undefined {
  let text = [...typed].length === 1 ? typed : NAMED[key];
  if (text === undefined || modifiers.size === 0) return undefined;
  if (modifiers.has('shift')) text = text.toUpperCase();
  if (modifiers.has('ctrl')) {
    const code = text.toUpperCase().charCodeAt(0);
    if (text === '?') text = '\x7f';
    else if (code >= 0x40 && code <= 0x5f) text = String.fromCharCode(code - 0x40);
    else return undefined;
  }
  return modifiers.has('alt') ? `\x1b${text}` : text;
}

function unknownKey(name: unknown): TypeError {
  const expected =
    "expected a character or a name such as 'enter', 'up', 'f5', 'ctrl-c', 'alt-b' or 'shift-tab'";
  return wrong(`Unknown key: ${describe(name)}; ${expected}`);
}
