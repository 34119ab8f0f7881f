import type { ViewSpec } from '../../addon/addon-types.ts';
import type { Given } from '../checks.ts';
import { boolean, integer, invalid, isRecord, object } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';

/**
 * Returns the addon's options of a view; `undefined` without a view. `true` means a view with the defaults.
 */
function viewSpec(name: string, view: unknown): ViewSpec | undefined {
  if (view === undefined || view === false) return undefined;
  if (view === true) return {};
  if (!isRecord(view)) throw invalid(name, 'true, false or an object', view);
  return viewOptions(name, object(name, view, VIEW_OPTIONS));
}

/** Checks the options of a view. */
function viewOptions(name: string, options: Given<string>): ViewSpec {
  const { context = {} } = options;
  const around = object(`${name}.context`, context, namesOf(CONTEXT));
  return {
    ...checkRows(name, options, VIEW, undefined),
    ...checkRows(`${name}.context`, around, CONTEXT, undefined),
  };
}

function share(name: string, value: unknown, most: number): number {
  if (!(typeof value === 'number' && value >= 0 && value <= most)) {
    throw invalid(name, `a share from 0 to ${most}`, value);
  }
  return value;
}

function texts(name: string, value: unknown): string[] {
  const isFine = (text: unknown) => typeof text === 'string' && text !== '' && text.length <= MAX_TEXT;
  if (!(Array.isArray(value) && value.length <= MAX_TEXTS && value.every(isFine))) {
    throw invalid(name, `at most ${MAX_TEXTS} strings of 1 to ${MAX_TEXT} characters`, value);
  }
  return value;
}

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

/** The options of a view, apart from `context`. */
const VIEW: readonly Row<ViewSpec>[] = [
  {
    name: 'maxBytes',
    field: 'maxBytes',
    check: (name, value) => integer(name, value, MIN_BYTES, MAX_BYTES, 'bytes'),
  },
  { name: 'head', field: 'head', check: (name, value) => share(name, value, 0.5) },
  { name: 'tail', field: 'tail', check: (name, value) => share(name, value, 0.9) },
  { name: 'important', field: 'important', check: texts },
  { name: 'fold', field: 'fold', check: boolean },
  { name: 'footer', field: 'footer', check: boolean },
  { name: 'escape', field: 'escape', check: boolean },
];

/** The options of `context`. */
const CONTEXT: readonly Row<ViewSpec>[] = [
  { name: 'before', field: 'before', check: lines },
  { name: 'after', field: 'after', check: lines },
];

function lines(name: string, value: unknown): number | undefined {
  return integer(name, value, 0, MAX_CONTEXT, 'lines');
}

/** The names of a view's options. */
const VIEW_OPTIONS: readonly string[] = [...namesOf(VIEW), 'context'];

export { VIEW_OPTIONS, viewOptions, viewSpec };
