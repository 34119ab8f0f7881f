import type { OutputSpec, SpillSpec } from '../../addon/addon-types.ts';
import { boolean, integer, invalid, isRecord, object, oneOf, path } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows, namesOf } from '../option-table.ts';
import { minimizeSpec } from './minimize-option.ts';
import { spillDirectory } from './spill-directory.ts';
import { viewSpec } from './view-options.ts';

/** The options of a spill file, checked. */
export interface SpillChoice {
  directory?: string | undefined;
  maxBytes?: number | undefined;
  above?: number | undefined;
}

/** The context of the checks of `output`, besides the value. */
interface AroundOutput {
  keep: unknown;
  root: string | undefined;
}

/**
 * Checks `options.output` and converts it for the addon. `root` (absolute) must not contain the default spill
 * directory.
 */
function outputSpec(output: unknown, root: string | undefined): OutputSpec | undefined {
  if (output === undefined) return undefined;
  const given = object('options.output', output, NAMES);
  const minimize = minimizeSpec('options.output.minimize', given.minimize);
  if (minimize === undefined) return checkRows('options.output', given, OUTPUT, { keep: given.keep, root });
  if (given.view === false) {
    throw invalid('options.output.minimize', 'none with view: false', given.minimize);
  }
  // Nothing is left out that nobody can read.
  const spillsForView = given.spill === undefined;
  const own = spillsForView ? { ...given, spill: { above: MIN_MINIMIZED - 1 } } : given;
  const spec: OutputSpec = checkRows('options.output', own, OUTPUT, { keep: given.keep, root });
  spec.view = { ...spec.view, minimize };
  spec.spillsForView = spillsForView;
  return spec;
}

function spillSpec(spill: unknown, root: string | undefined): SpillSpec | undefined {
  const options = checkSpill(spill);
  if (options === undefined) return undefined;
  const { directory, maxBytes = 1024 ** 3, above } = options;
  return { directory: spillDirectory(directory, root), maxBytes, above };
}

/** Checks `options.output.spill`, and creates nothing. Returns its options; `undefined` for no file. */
function checkSpill(spill: unknown): SpillChoice | undefined {
  if (spill === undefined || spill === false) return undefined;
  if (spill !== true && !isRecord(spill)) {
    throw invalid('options.output.spill', 'true, false or an object', spill);
  }
  const options = object('options.output.spill', spill === true ? {} : spill, namesOf(SPILL));
  return checkRows('options.output.spill', options, SPILL, undefined);
}

function size(name: string, value: unknown): number | undefined {
  return integer(name, value, 0, MAX_KEPT, 'bytes');
}

function headSize(name: string, value: unknown, { keep }: AroundOutput): number | undefined {
  if ((keep ?? 'both') !== 'both') throw invalid(name, "nothing unless keep is 'both'", value);
  return size(name, value);
}

function markerText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_MARKER) return value;
  throw invalid(name, `a string of at most ${MAX_MARKER} characters`, value);
}

/**
 * The largest `maxBytes` (bytes). Both streams together fit into one string of V8, at most 2^29 - 24
 * characters, even if each byte is invalid and becomes three.
 */
const MAX_KEPT = 64 * 1024 * 1024;

/** The smallest output that is minimized (bytes). */
const MIN_MINIMIZED: number = 1_000;

/** The most output of a command that is held in memory before its spill file is created (bytes). */
const MAX_HELD: number = 1024 * 1024;

/** The longest marker (UTF-16 code units). Most are a line. */
const MAX_MARKER = 10_000;

/** The options of `output`. The file comes last, because its check may choose a directory. */
const OUTPUT: readonly Row<OutputSpec, AroundOutput>[] = [
  { name: 'maxBytes', field: 'maxBytes', check: size },
  { name: 'keep', field: 'keep', check: (name, value) => oneOf(name, value, ['head', 'tail', 'both']) },
  { name: 'headBytes', field: 'headBytes', check: headSize },
  {
    name: 'cut',
    field: 'cutAtCharacter',
    check: (name, value) => oneOf(name, value, ['line', 'character']) === 'character',
  },
  { name: 'merge', field: 'merge', check: boolean },
  { name: 'stripAnsi', field: 'plain', check: boolean },
  { name: 'marker', field: 'marker', check: markerText },
  { name: 'view', field: 'view', check: viewSpec },
  { name: 'spill', field: 'spill', check: (_name, value, { root }) => spillSpec(value, root) },
];

/** The options of `output.spill`. */
/** The names of the options of the output. `minimize` has no row: it is checked before the rows. */
const NAMES = [...namesOf(OUTPUT), 'minimize'];

const SPILL: readonly Row<SpillChoice>[] = [
  { name: 'directory', field: 'directory', check: path },
  {
    name: 'maxBytes',
    field: 'maxBytes',
    check: (name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER, 'bytes'),
  },
  { name: 'above', field: 'above', check: (name, value) => integer(name, value, 0, MAX_HELD, 'bytes') },
];

export { checkSpill, MAX_HELD, MIN_MINIMIZED, outputSpec };
