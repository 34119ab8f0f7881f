import { boolean, integer, invalid, isRecord, object } from '../checks.mjs';

/** Returns the addon's options of a view; `undefined` when none is asked for. `true` is the usual one. */
function viewSpec(name, view) {
  if (view === undefined || view === false) return undefined;
  if (view === true) return {};
  if (!isRecord(view)) throw invalid(name, 'true, false or an object', view);
  return viewOptions(name, object(name, view, KNOWN));
}

/** The options of a view, checked. */
function viewOptions(name, { maxBytes, head, tail, context, important, fold, footer, escape: isEscaped }) {
  const around = context === undefined ? {} : object(`${name}.context`, context, ['before', 'after']);
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

function share(name, value, most) {
  if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= most)) {
    throw invalid(name, `a share from 0 to ${most}`, value);
  }
  return value;
}

function texts(name, value) {
  if (value === undefined) return undefined;
  const isFine = (text) => typeof text === 'string' && text !== '' && text.length <= MAX_TEXT;
  if (!(Array.isArray(value) && value.length <= MAX_TEXTS && value.every(isFine))) {
    throw invalid(name, `at most ${MAX_TEXTS} strings of 1 to ${MAX_TEXT} characters`, value);
  }
  return value;
}

/** The names of a view's options. */
const KNOWN = ['maxBytes', 'head', 'tail', 'context', 'important', 'fold', 'footer', 'escape'];

/** Room for two markers, the footer, and something of two lines; and what a model may well be given (bytes). */
const MIN_BYTES = 200;
const MAX_BYTES = 1024 * 1024;

/** More context than this is a larger budget (lines). */
const MAX_CONTEXT = 100;

/** As many texts as a person would list, none longer than a line. */
const MAX_TEXTS = 100;
const MAX_TEXT = 1_000;

export { KNOWN as VIEW_OPTIONS, viewOptions, viewSpec };
