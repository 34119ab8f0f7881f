// The options `timeout` and `output` of a toolset, most of which are settings of its dialect.

import { boolean, integer, invalid, isRecord, milliseconds, object, oneOf } from '../../options/checks.ts';
import type { SpillOptions } from '../../options/command/api.ts';
import type { Row } from '../../options/option-table.ts';
import { checkRows, namesOf } from '../../options/option-table.ts';
import { minimizeSpec } from '../../options/output/minimize-option.ts';
import { checkSpill } from '../../options/output/output-options.ts';
import { viewSpec } from '../../options/output/view-options.ts';
import type { MinimizeOptions, ViewOptions } from '../../view/api.ts';

/** The settings of a dialect for timeouts, as `src/tools/settings.rs` has them. */
export interface TimeoutSettings {
  timeoutMs?: number;
  maxTimeoutMs?: number;
  movesAtTimeout?: boolean;
  yieldMs?: number;
}

/** The settings of a dialect for the output that the model reads. */
export interface OutputSettings {
  maxBytes?: number;
  maxChars?: number;
  keep?: 'head' | 'tail' | 'both';
  stripAnsi?: boolean;
  spill?: boolean;
  hasView?: boolean;
}

/** The checked option `output`. */
export interface CheckedOutput {
  settings: OutputSettings;
  spill?: SpillOptions | undefined;
  view?: boolean | ViewOptions | undefined;
  minimize?: boolean | MinimizeOptions | undefined;
}

const TIMEOUT: readonly Row<TimeoutSettings>[] = [
  { name: 'default', field: 'timeoutMs', check: time },
  { name: 'max', field: 'maxTimeoutMs', check: time },
  {
    name: 'on',
    field: 'movesAtTimeout',
    check: (name, value) => oneOf(name, value, ['kill', 'background']) === 'background',
  },
  { name: 'yield', field: 'yieldMs', check: time },
];

function time(name: string, value: unknown): number | undefined {
  return milliseconds(name, value);
}

/** Returns the settings of a dialect for the option `timeout`. */
function timeoutSettings(timeout: unknown): TimeoutSettings {
  if (timeout === undefined) return {};
  if (typeof timeout === 'number') {
    return checkRows(
      'options',
      { timeout },
      [{ name: 'timeout', field: 'timeoutMs', check: time }],
      undefined,
    );
  }
  if (!isRecord(timeout)) throw invalid('options.timeout', 'a number of milliseconds or an object', timeout);
  return checkRows(
    'options.timeout',
    object('options.timeout', timeout, namesOf(TIMEOUT)),
    TIMEOUT,
    undefined,
  );
}

/** The most output that an option can ask for (bytes, or characters). */
const MAX_OUTPUT: number = 16 * 1024 * 1024;

/** The bytes for which a token counts. */
const TOKEN_BYTES = 4;

const OUTPUT: readonly Row<OutputSettings & { maxTokens?: number }>[] = [
  {
    name: 'maxBytes',
    field: 'maxBytes',
    check: (name, value) => integer(name, value, 1, MAX_OUTPUT, 'bytes'),
  },
  {
    name: 'maxChars',
    field: 'maxChars',
    check: (name, value) => integer(name, value, 1, MAX_OUTPUT, 'characters'),
  },
  {
    name: 'maxTokens',
    field: 'maxTokens',
    check: (name, value) => integer(name, value, 1, MAX_OUTPUT / TOKEN_BYTES, 'tokens'),
  },
  { name: 'keep', field: 'keep', check: (name, value) => oneOf(name, value, ['head', 'tail', 'both']) },
  { name: 'stripAnsi', field: 'stripAnsi', check: boolean },
  {
    name: 'spill',
    field: 'spill',
    check: (_name, value) => {
      checkSpill(value);
      return value !== false;
    },
  },
  {
    name: 'view',
    field: 'hasView',
    check: (name, value) => {
      viewSpec(name, value);
      return value !== false;
    },
  },
];

/** Checks the option `output`. */
function checkOutput(output: unknown): CheckedOutput {
  if (output === undefined) return { settings: {} };
  const asked = object('options.output', output, [...namesOf(OUTPUT), 'minimize']);
  const { minimize } = asked;
  const isMinimized = minimizeSpec('options.output.minimize', minimize) !== undefined;
  if (isMinimized && asked.view === false) {
    throw invalid('options.output.minimize', 'none with view: false', minimize);
  }
  // A minimized output is a view.
  const given = isMinimized ? { ...asked, view: asked.view ?? true } : asked;
  const { maxTokens, ...settings } = checkRows('options.output', given, OUTPUT, undefined);
  if (maxTokens !== undefined) {
    settings.maxBytes = Math.min(maxTokens * TOKEN_BYTES, settings.maxBytes ?? MAX_OUTPUT);
  }
  const { spill, view, keep } = given;
  if (view && keep !== undefined) {
    throw invalid('options.output.keep', 'none next to a view, which keeps what matters', keep);
  }
  return {
    settings,
    spill: isRecord(spill) ? spill : undefined,
    view: view as boolean | ViewOptions | undefined,
    minimize: isMinimized ? (minimize as boolean | MinimizeOptions) : undefined,
  };
}

export { checkOutput, MAX_OUTPUT, timeoutSettings };
