import type { BashSpec, ViewSpec } from '../addon/addon-types.ts';
import type { Given } from '../options/checks.ts';
import { abortSignal, milliseconds, object } from '../options/checks.ts';
import type { Terminal } from '../options/command/pty-options.ts';
import type { Row } from '../options/option-table.ts';
import { checkRows, namesOf } from '../options/option-table.ts';
import { codePageOf, keepsBytes } from '../options/output/encoding.ts';
import { authorizationOf } from '../policy/authorization.ts';
import type { Authorization } from '../policy/authorize.ts';
import { features } from '../support/features.ts';

/** The options of `new BashJob()`, apart from its policy. `bashSurroundings()` checks where it runs. */
interface BashJobChoice {
  timeout: number | undefined;
  signal: AbortSignal | undefined;
  view: ViewSpec | undefined;
  bytes: boolean | undefined;
  codePage: BashSpec['codePage'];
  pty: Terminal | undefined;
  sandbox: unknown;
  overlay: unknown;
  target: unknown;
}

/** The checked options of `new BashJob()`. */
export interface BashJobOptions extends Partial<BashJobChoice> {
  authorization: Authorization | null;
}

const asGiven = (_name: string, value: unknown) => value;

const OWN: readonly Row<BashJobChoice, Given<string>>[] = [
  { name: 'timeout', field: 'timeout', check: (name, value) => milliseconds(name, value) },
  { name: 'signal', field: 'signal', check: abortSignal },
  { name: 'pty', field: 'pty', check: (_name, value) => features().ptySpec(value) },
  { name: 'encoding', field: 'bytes', check: (_name, _value, options) => keepsBytes(options) },
  { name: 'encoding', field: 'codePage', check: codePageOf },
  { name: 'output', field: 'view', check: viewIn },
  { name: 'sandbox', field: 'sandbox', check: asGiven },
  { name: 'overlay', field: 'overlay', check: asGiven },
  { name: 'target', field: 'target', check: asGiven },
];

/** The names of the options; of `output`, only one. */
const KNOWN: readonly string[] = [
  ...namesOf(OWN).map((name) => (name === 'output' ? 'output.view' : name)),
  ...['policy', 'approve', 'decision'],
];

/** Checks the options of `new BashJob()`. */
function checkJobOptions(options: unknown): BashJobOptions {
  const given: Given<string> = object('options', options, KNOWN);
  return { ...checkRows('options', given, OWN, given), authorization: authorizationOf(given) };
}

function viewIn(name: string, output: unknown): ViewSpec | undefined {
  return features().viewSpec(`${name}.view`, object(name, output, ['view']).view);
}

export { checkJobOptions };
