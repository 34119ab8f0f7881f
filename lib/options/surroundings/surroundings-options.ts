// The surroundings of a command, each by itself. What several of them make together, such as the environment,
// is in `surroundings.ts` for this machine, and in `target.ts` for another one.

import type { LimitsSpec } from '../../addon/addon-types.ts';
import { refuseOnWindows } from '../../addon/missing-addon.ts';
import type { Overlay } from '../../overlay/overlay.ts';
import type { RedactChoice } from '../../redact/redaction.ts';
import { features } from '../../support/features.ts';
import type { Given } from '../checks.ts';
import { boolean, callback, path, wrong } from '../checks.ts';
import type { Row } from '../option-table.ts';
import { checkRows } from '../option-table.ts';
import type { Variable } from './environment/environment.ts';
import { ownVariables } from './environment/environment.ts';
import type { Inheritance } from './environment/inheritance.ts';
import type { SURROUNDINGS } from './names.ts';
import { overlayOf } from './overlay-option.ts';
import type { OnPrompt } from './prompt-api.ts';
import { sandboxForm } from './sandbox/sandbox-form.ts';
import { shellWords } from './shell-option.ts';
import type { StartState } from './start-state.ts';

type Name = (typeof SURROUNDINGS)[number];

/** The checked surroundings, without those that are absent. */
export interface OwnSurroundings {
  cwd?: string;
  root?: string;
  isExtended?: boolean;
  isQuiet?: boolean;
  variables?: Variable[];
  inheritance?: Inheritance;
  shell?: string[];
  limits?: LimitsSpec;
  sandbox?: string | object;
  /** The credentials as they were given: what checks them is loaded when there are some. */
  credentials?: unknown;
  overlay?: Overlay;
  startState?: StartState;
  redact?: RedactChoice;
  onPrompt?: OnPrompt;
}

const ROWS: readonly (Row<OwnSurroundings> & { readonly name: Name; readonly isHereOnly?: true })[] = [
  { name: 'cwd', field: 'cwd', check: path },
  { name: 'root', field: 'root', check: path },
  { name: 'extendEnv', field: 'isExtended', check: boolean },
  { name: 'nonInteractive', field: 'isQuiet', check: boolean },
  { name: 'env', field: 'variables', check: ownVariables },
  {
    name: 'environment',
    field: 'inheritance',
    isHereOnly: true,
    check: (name, value) => features().inheritance(name, value),
  },
  { name: 'shell', field: 'shell', check: shellWords },
  { name: 'limits', field: 'limits', check: (name, value) => features().limitsSpec(name, value) },
  { name: 'sandbox', field: 'sandbox', isHereOnly: true, check: sandboxForm },
  { name: 'credentials', field: 'credentials', isHereOnly: true, check: (_name, value) => value },
  { name: 'overlay', field: 'overlay', isHereOnly: true, check: overlayOf },
  {
    name: 'startState',
    field: 'startState',
    isHereOnly: true,
    check: (name, value) => features().startStateOf(name, value),
  },
  { name: 'redact', field: 'redact', check: (name, value) => features().redactChoice(name, value) },
  { name: 'onPrompt', field: 'onPrompt', isHereOnly: true, check: promptFunction },
];

/** The surroundings that no target takes yet. */
const HERE_ONLY: readonly Name[] = ROWS.filter(({ isHereOnly }) => isHereOnly).map(({ name }) => name);

/** Checks each of the given surroundings, apart from the target. */
function ownSurroundings(given: Given<Name>): OwnSurroundings {
  return checkRows('options', given, ROWS, undefined);
}

/** Checks the function that answers prompts. Only Linux has the helper that asks. */
function promptFunction(name: string, value: unknown): OnPrompt {
  refuseOnWindows(`'${name}'`);
  if (process.platform !== 'linux') {
    throw wrong(`Invalid option '${name}': available on Linux only`, 'ERR_FEATURE_UNAVAILABLE');
  }
  return callback(name, value) as OnPrompt;
}

export { HERE_ONLY, ownSurroundings };
