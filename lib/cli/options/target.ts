import type { TargetOptions } from 'agent-bash';
import type * as OnDemand from '../../on-demand.ts';
import { messageOf } from '../../support/message-of.ts';
import type { OptionTable } from '../arguments.ts';
import { UsageError } from '../arguments.ts';

/** The values of the options about the target. */
export interface TargetValues {
  target?: string;
  engine?: string;
}

/** Options of commands about the target on which commands run. */
const TARGET_OPTIONS: OptionTable<TargetValues> = { target: {}, engine: {} };

const MEANING =
  "container:IMAGE, name:NAME, ssh:HOST, compose:SERVICE, pod:NAME, pod:LABEL=VALUE, devcontainer:FOLDER or exec:'WORDS'";

/** Returns the option `target` of the package; `undefined` without `--target`. */
function targetOf(command: string, { target, engine: program }: TargetValues): TargetOptions | undefined {
  if (target === undefined) {
    if (program !== undefined) throw new UsageError('--engine needs --target', command);
    return undefined;
  }
  const [, kind, what] = /^([a-z]+):(.+)$/s.exec(target) ?? [];
  const engine = program === undefined ? undefined : words('--engine', program, command);
  if (kind === 'container') return { container: { image: what, engine } };
  if (kind === 'name') return { container: { name: what, engine } };
  if (program !== undefined) throw new UsageError('--engine needs a container as --target', command);
  if (kind === 'ssh') return { ssh: { host: what } };
  const preset = presetOf(kind, what ?? '', command);
  if (preset !== undefined) return preset;
  if (kind === 'exec') return { exec: words('--target exec', what, command) };
  throw new UsageError(`--target: expected ${MEANING}, got '${target}'`, command);
}

/** Returns the options of a preset; `undefined` for another kind of a target. */
function presetOf(kind: string | undefined, what: string, command: string): TargetOptions | undefined {
  const { composeOptions, devcontainerOptions, podOptions } = require('../on-demand.cjs') as typeof OnDemand;
  try {
    if (kind === 'compose') return composeOptions(what);
    if (kind === 'pod') return podOptions(/[=!, ]/.test(what) ? { selector: what } : { name: what });
    if (kind === 'devcontainer') return devcontainerOptions(what);
  } catch (error) {
    throw new UsageError(`--target ${kind}: ${messageOf(error)}`, command);
  }
  return undefined;
}

/**
 * Splits the words of an option as a shell does, so that quotes can hold a blank. `require` is that of the
 * bundle, where `on-demand.cjs` lies beside.
 */
function words(option: string, text: string, command: string): string[] {
  const split = (require('../on-demand.cjs') as typeof OnDemand).splitWords(text);
  if (split === null) throw new UsageError(`${option}: a quote is not closed in '${text}'`, command);
  if (split.length === 0) throw new UsageError(`${option}: expected a program and its arguments`, command);
  return split;
}

export { TARGET_OPTIONS, targetOf };
