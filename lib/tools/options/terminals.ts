// The option `terminals`: the terminals of a client, in which commands run.

import type { Given } from '../../options/checks.ts';
import { abortSignal, invalid, isRecord, wrong } from '../../options/checks.ts';
import type { RunAction } from '../actions.ts';
import type { ClientTerminals } from '../api/terminals.ts';

/** The options that act on processes of this machine, which a client does not have. */
const UNSUPPORTED = [
  'sandbox',
  'overlay',
  'target',
  'limits',
  'environment',
  'startState',
  'background',
  'record',
] as const;

type Options = Given<
  (typeof UNSUPPORTED)[number] | 'terminals' | 'extendEnv' | 'pipeStatus' | 'session' | 'overlap'
>;

/**
 * Checks the option `terminals`, and returns it; `undefined` without it.
 *
 * @throws TypeError for another option that a client can't honour
 */
function checkTerminals(options: Options): ClientTerminals | undefined {
  const { terminals, extendEnv, pipeStatus, session } = options;
  if (terminals === undefined) return undefined;
  if (!isRecord(terminals) || typeof terminals.create !== 'function') {
    throw invalid(
      'options.terminals',
      'an object with a function create, as of clientTerminals()',
      terminals,
    );
  }
  abortSignal('options.terminals.signal', terminals.signal);
  for (const name of UNSUPPORTED) if (isAsked(options[name])) throw impossible(name);
  if (extendEnv === false) throw impossible('extendEnv');
  if (pipeStatus === true) throw impossible('pipeStatus');
  if (session !== undefined && session !== 'none') throw impossible('session');
  return terminals as unknown as ClientTerminals;
}

/** Returns whether an option has a value that asks for anything. */
function isAsked(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function impossible(name: string): TypeError {
  return wrong(`Invalid option 'options.${name}': not available with terminals, which belong to the client`);
}

/** Returns whether a command runs in a terminal of the client. */
function runsInClient(spec: RunAction, terminals: ClientTerminals | undefined): boolean {
  if (terminals === undefined || spec.isJob || spec.isOpen) return false;
  return [spec.pty, spec.input, spec.yieldMs].every((value) => value === undefined);
}

export { checkTerminals, runsInClient };
