import type { OutputSpec, SpillSpec } from '../../addon/addon-types.ts';
import { boolean, integer, invalid, isRecord, object, oneOf, path } from '../checks.ts';
import { spillDirectory } from './spill-directory.ts';
import { viewSpec } from './view-options.ts';

/** The options of a spill file, checked. */
export interface SpillChoice {
  directory: string | undefined;
  maxBytes: number | undefined;
  above: number | undefined;
}

/**
 * Checks `options.output` and converts it for the addon. `root` (absolute) must not contain the default spill
 * directory.
 */
function outputSpec(output: unknown, root: string | undefined): OutputSpec | undefined {
  if (output === undefined) return undefined;
  const given = object('options.output', output, KNOWN);
  const { maxBytes, keep, headBytes, cut, merge, stripAnsi, marker, spill, view } = given;
  if (marker !== undefined && !(typeof marker === 'string' && marker.length <= MAX_MARKER)) {
    throw invalid('options.output.marker', `a string of at most ${MAX_MARKER} characters`, marker);
  }
  const spec: OutputSpec = {
    maxBytes: size('options.output.maxBytes', maxBytes),
    keep: oneOf('options.output.keep', keep, ['head', 'tail', 'both']),
    headBytes: size('options.output.headBytes', headBytes),
    cutAtCharacter: oneOf('options.output.cut', cut, ['line', 'character']) === 'character',
    marker,
    merge: boolean('options.output.merge', merge),
    plain: boolean('options.output.stripAnsi', stripAnsi),
    spill: undefined,
    view: viewSpec('options.output.view', view),
  };
  if (headBytes !== undefined && (keep ?? 'both') !== 'both') {
    throw invalid('options.output.headBytes', "nothing unless keep is 'both'", headBytes);
  }
  spec.spill = spillSpec(spill, root);
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
  const options = object('options.output.spill', spill === true ? {} : spill, [
    'directory',
    'maxBytes',
    'above',
  ]);
  const { directory, maxBytes, above } = options;
  return {
    directory: path('options.output.spill.directory', directory),
    maxBytes: integer('options.output.spill.maxBytes', maxBytes, 0, Number.MAX_SAFE_INTEGER, 'bytes'),
    above: integer('options.output.spill.above', above, 0, MAX_HELD, 'bytes'),
  };
}

function size(name: string, value: unknown): number | undefined {
  return integer(name, value, 0, MAX_KEPT, 'bytes');
}

const KNOWN = [
  'maxBytes',
  'keep',
  'headBytes',
  'cut',
  'merge',
  'stripAnsi',
  'marker',
  'spill',
  'view',
] as const;

/**
 * The largest `maxBytes` (bytes). Both streams together fit into one string of V8, at most 2^29 - 24
 * characters, even if each byte is invalid and becomes three.
 */
const MAX_KEPT = 64 * 1024 * 1024;

/** The most output of a command that is held in memory before its spill file is created (bytes). */
const MAX_HELD: number = 1024 * 1024;

/** The longest marker (UTF-16 code units). Most are a line. */
const MAX_MARKER = 10_000;

export { checkSpill, MAX_HELD, outputSpec };
