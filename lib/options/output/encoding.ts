import type { Encoding } from '../../result/output-api.ts';
import type { Given } from '../checks.ts';
import { invalid, isRecord, oneOf } from '../checks.ts';
import { CODE_PAGES, codePage } from './code-pages.ts';

/** The options of `output` that work on text. */
const OF_TEXT = ['cut', 'marker', 'stripAnsi', 'view', 'minimize'];

const ENCODINGS: readonly Encoding[] = ['utf8', 'buffer', ...CODE_PAGES];

/**
 * Checks `options.encoding`, and that no other option contradicts bytes. Returns `true` if the output stays
 * bytes, and otherwise `undefined`, because the addon's default is text.
 */
function keepsBytes({ encoding, output, pty }: Given<'encoding' | 'output' | 'pty'>): true | undefined {
  if (oneOf('options.encoding', encoding, ENCODINGS) !== 'buffer') return undefined;
  if (pty !== undefined && pty !== false) throw contradicts('options.pty', pty);
  for (const name of OF_TEXT) {
    const value = isRecord(output) ? output[name] : undefined;
    if (value !== undefined && value !== false) throw contradicts(`options.output.${name}`, value);
  }
  return true;
}

/** Returns the encoding of the output for the addon, or `undefined` for UTF-8 and for bytes. */
function codePageOf(name: string, encoding: unknown): ReturnType<typeof codePage> {
  const choice = oneOf(name, encoding, ENCODINGS);
  return choice === undefined || choice === 'utf8' || choice === 'buffer' ? undefined : codePage(choice);
}

/** Returns the error of an option or argument that works on text, of a command whose output is bytes. */
function contradicts(name: string, value: unknown): TypeError {
  return invalid(name, "nothing next to encoding: 'buffer', whose output is no text", value);
}

export { codePageOf, contradicts, keepsBytes };
