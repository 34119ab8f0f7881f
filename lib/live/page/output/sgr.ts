// Colours and attributes of text (SGR).

/** How text is shown. */
export interface TextStyle {
  /** A colour: the number of one of 16, or a CSS colour; `null` for the usual one. */
  color: number | string | null;
  background: number | string | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  strike: boolean;
}

export const PLAIN: TextStyle = {
  color: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
};

const ON: Record<number, Partial<TextStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { color: null },
  49: { background: null },
};

/** Returns the look after a sequence, by its parameters as text. */
function styleAfter(style: TextStyle, parameters: string): TextStyle {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 0) next = PLAIN;
    else if (code === 38 || code === 48) {
      const { color, used } = extended(codes.slice(at + 1));
      at += used;
      if (color !== null) next = { ...next, [code === 38 ? 'color' : 'background']: color };
    } else next = { ...next, ...(ON[code] ?? ofSixteen(code)) };
  }
  return next;
}

function ofSixteen(code: number): Partial<TextStyle> {
  if (code >= 30 && code <= 37) return { color: code - 30 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 90 && code <= 97) return { color: code - 82 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  return {};
}

/** Reads a colour of 256, or one by its parts. Returns it with the number of codes that it takes. */
function extended([kind, ...rest]: number[]): { color: number | string | null; used: number } {
  if (kind === 5) return { color: ofMany(rest[0] ?? 0), used: 2 };
  if (kind !== 2) return { color: null, used: 1 };
  return { color: rgb(rest.slice(0, 3)), used: 4 };
}

function ofMany(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) return rgb(Array(3).fill(8 + 10 * (index - 232)));
  const cube = index - 16;
  const part = (value: number) => (value === 0 ? 0 : 55 + 40 * value);
  return rgb([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(part));
}

function rgb(parts: number[]): string {
  return `rgb(${[0, 1, 2].map((index) => Math.min(Math.max(Math.trunc(parts[index]) || 0, 0), 255)).join(' ')})`;
}

/** Returns the span of a text with a look; the text alone for the usual one. */
function styled(text: string, style: TextStyle): Node {
  if (style === PLAIN) return document.createTextNode(text);
  const span = document.createElement('span');
  span.textContent = text;
  const { bold, dim, italic, underline, inverse, strike } = style;
  const [front, back] = inverse
    ? [style.background ?? 'bg', style.color ?? 'fg']
    : [style.color, style.background];
  if (front !== null) span.style.color = colour(front);
  if (back !== null) span.style.backgroundColor = colour(back);
  if (bold) span.style.fontWeight = '600';
  if (dim) span.style.opacity = '0.75';
  if (italic) span.style.fontStyle = 'italic';
  if (underline || strike) {
    span.style.textDecoration = `${underline ? 'underline' : ''} ${strike ? 'line-through' : ''}`;
  }
  return span;
}

function colour(color: number | string): string {
  return typeof color === 'number' || color === 'bg' || color === 'fg' ? `var(--ansi-${color})` : color;
}

export { styleAfter, styled };
