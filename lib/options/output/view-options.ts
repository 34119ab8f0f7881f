import type { ViewSpec } from '../../addon/addon-types.ts';
import type { Given } from '../checks.ts';
import { boolean, integer, invalid, isRecord, object } from '../checks.ts';

/**
 * Returns the addon's options of a view; `undefined` without a view. `true` means a view with the defaults.
 */
function viewSpec(name: string, view: unknown): ViewSpec | undefined {
  if (view === undefined || view === false) return undefined;
  if (view === true) return {};
  if (!isRecord(view)) throw invalid(name, 'true, false or an object', view);
  return viewOptions(name, object(name, view, KNOWN));
}

/** Checks the options of a view. */
function viewOptions(
  name: string,
  {
    maxBytes,
    head,
    tail,
    context,
    important,
    fold,
    footer,
    escape: isEscaped,
  }: Given<(typeof KNOWN)[number]>,
): ViewSpec {
  const around = object(`${name}.context`, context === undefined ? {} : context, ['before', 'after']);
  return {
    maxBytes: integer(`${name}.maxBytes`, maxBytes, MIN_BYTES, MAX_BYTES, 'bytes'),
    head: share(`${name}.head`, head, 0.5),
    tail: share(`${name}.tail`, tail, 0.9),
    before: integer(`${name}.context.before`, around.before, 0, MAX_CONTEXT, 'lines'),
    after: integer(`${name}.context.after`, around.after, 0, MAX_CONTEXT, 'lines'),
    important: texts(`${name}.important`, important),
    fold: boolean(`${name}.fold`, fold),
    footer: boolean(`${name}.footer`, footer),
    escape: boolean(`${name}.escape`, isEscaped),
  };
}

function share(name: string, value: unknown, most: number): number | undefined {
  if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= most)) {
    throw invalid(name, `a share from 0 to ${most}`, value);
  }
  return value;
}

function texts(name: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const isFine = (text: unknown) => typeof text === 'string' && text !== '' && text.length <= MAX_TEXT;
  if (!(Array.isArray(value) && value.length <= MAX_TEXTS && value.every(isFine))) {
    throw invalid(name, `at most ${MAX_TEXTS} strings of 1 to ${MAX_TEXT} characters`, value);
  }
  return value;
}

/** The names of a view's options. */
const KNOWN = ['maxBytes', 'head', 'tail', 'context', 'important', 'fold', 'footer', 'escape'] as const;

/**
 * The least and the most bytes of a view. 200 bytes hold two markers, the footer and a part of two lines; 1
 * MiB is more than models read.
 */
const MIN_BYTES = 200;
const MAX_BYTES = 1024 * 1024;

/** The most context (lines). A caller that wants more should raise `maxBytes`. */
const MAX_CONTEXT = 100;

/**
 * The most texts of a list, and the longest text: as many as a person would write, none longer than a line.
 */
const MAX_TEXTS = 100;
const MAX_TEXT = 1_000;

export { KNOWN as VIEW_OPTIONS, viewOptions, viewSpec };
