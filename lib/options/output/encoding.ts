import { features } from '../../support/features.ts';
import type { Given } from '../checks.ts';
import { invalid, isRecord } from '../checks.ts';
import type { checkCodePage } from './code-pages.ts';

/** The options of `output` that work on text. */
const OF_TEXT = ['cut', 'marker', 'stripAnsi', 'view', 'minimize'];

/**
 * Checks that no other option contradicts bytes. Returns `true` if the output stays bytes, and otherwise
 * `undefined`, because the addon's default is text.
 */
function keepsBytes({ encoding, output, pty }: Given<'encoding' | 'output' | 'pty'>): true | undefined {
  if (encoding !== 'buffer') return undefined;
  if (pty !== undefined && pty !== false) throw contradicts('options.pty', pty);
  for (const name of OF_TEXT) {
    const value = isRecord(output) ? output[name] : undefined;
    if (value !== undefined && value !== false) throw contradicts(`options.output.${name}`, value);
  }
  return true;
}

/** Checks an encoding, and returns it for the addon, or `undefined` for UTF-8 and for bytes. */
function codePageOf(name: string, encoding: unknown): ReturnType<typeof checkCodePage> {
  if (encoding === undefined || encoding === 'utf8' || encoding === 'buffer') return undefined;
  return features().checkCodePage(name, encoding);
}

/** Returns the error of an option or argument that works on text, of a command whose output is bytes. */
function contradicts(name: string, value: unknown): TypeError {
  return invalid(name, "nothing next to encoding: 'buffer', whose output is no text", value);
}

export { codePageOf, contradicts, keepsBytes };
