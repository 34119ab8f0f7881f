import type { Given } from '../checks.ts';
import { invalid, isRecord, oneOf } from '../checks.ts';

/** The options of `output` that work on text. */
const OF_TEXT = ['cut', 'marker', 'stripAnsi', 'view', 'minimize'];

/**
 * Checks `options.encoding`, and that no other option contradicts bytes. Returns `true` if the output stays
 * bytes, and otherwise `undefined`, because the addon's default is text.
 */
function keepsBytes({ encoding, output, pty }: Given<'encoding' | 'output' | 'pty'>): true | undefined {
  if (oneOf('options.encoding', encoding, ['utf8', 'buffer']) !== 'buffer') return undefined;
  if (pty !== undefined && pty !== false) throw contradicts('options.pty', pty);
  for (const name of OF_TEXT) {
    const value = isRecord(output) ? output[name] : undefined;
    if (value !== undefined && value !== false) throw contradicts(`options.output.${name}`, value);
  }
  return true;
}

/** Returns the error of an option or argument that works on text, of a command whose output is bytes. */
function contradicts(name: string, value: unknown): TypeError {
  return invalid(name, "nothing next to encoding: 'buffer', whose output is no text", value);
}

export { contradicts, keepsBytes };
