// Requests of commands for more than their sandbox: resolved before a person is asked, and granted only by
// the host.

import { isDeepStrictEqual } from 'node:util';
import { escalated } from '../../addon/native.ts';
import { isNativeError } from '../../addon/native-error.ts';
import type { SandboxGrant } from '../../options/surroundings/sandbox-api.ts';
import { checkSurroundings } from '../../options/surroundings/surroundings.ts';
import type {
  Action,
  EscalationRequest,
  Grant,
  PendingEscalation,
  ResolvedEscalation,
  RunAction,
  WriteAction,
} from '../actions.ts';
import type { ToolsetState } from '../toolset-state.ts';

/** A resolved request: the mistake in it, or what it gives. */
type Resolved = { mistake: string } | { mistake?: undefined; grant: Grant | null };

/** Returns whether a command of an action asks for more than its sandbox gives. */
function asksForMore(action: Action | undefined): boolean {
  return commandOf(action)?.asks !== undefined;
}

/** Returns the one command of an action that may ask. */
function commandOf(action: Action | undefined): RunAction | undefined {
  if (action?.do === 'run') return action;
  return action?.do === 'restart' ? (action.then ?? undefined) : undefined;
}

/**
 * Resolves what an action asks for. Returns `null` for nothing that the sandbox does not give already,
 * `{ mistake }` for what can't be given, else what {@link PendingCall} shows, with the sandbox's options in
 * `grant`. Until somebody has decided, the action has all of it, so that the policy judges that.
 */
function escalationOf(action: Action, state: ToolsetState): PendingEscalation | null {
  if (action.do === 'write') return ofInput(action, state);
  const command = commandOf(action);
  const asks = command?.asks;
  if (command === undefined || asks === undefined || asks === null) return null;
  const resolved = resolve(asks, undefined, state);
  if (resolved.mistake !== undefined) return resolved;
  if (resolved.grant === null) return null;
  const { grant } = resolved;
  command.grant = grant;
  return { sandbox: grant.more, text: grant.text, reason: asks.reason, isGranted: false, asks, grant };
}

/** The request for the first input to a job of an earlier session. */
const OF_EARLIER_SESSION: ResolvedEscalation = {
  sandbox: { unsandboxed: true },
  text: 'The job that reads this is of an earlier session: its sandbox may be weaker than that of this one.',
  reason: null,
  isGranted: false,
  grant: null,
};

/**
 * Returns the request for input to a job that was granted more: the host has not seen what it does with these
 * rights.
 */
function ofInput({ id, text }: WriteAction, state: ToolsetState): ResolvedEscalation | null {
  const entry = text ? state.entries.get(id) : undefined;
  if (entry?.asksFirst) return { ...OF_EARLIER_SESSION };
  const grant = entry?.grant;
  if (grant === undefined) return null;
  const sentence = `The job that reads this was granted more than its sandbox gives. ${grant.text}`;
  return { sandbox: grant.more, text: sentence, reason: null, isGranted: false, grant };
}

/**
 * Gives a command the granted rights: all that it asks for, or less by `granted`. Returns the mistake in the
 * grant, or `undefined`.
 */
function grantTo(
  action: Action,
  escalation: ResolvedEscalation,
  granted: unknown,
  state: ToolsetState,
): string | undefined {
  if (granted === undefined) return undefined;
  if (escalation.asks === undefined) return "a job's limits can't change while it runs";
  // Of what was shown: resolved again, the request could mean other paths by now.
  const shown = { more: escalation.sandbox, reason: escalation.asks.reason };
  const resolved = resolve(shown, granted, state);
  if (resolved.mistake !== undefined) return resolved.mistake;
  const { grant } = resolved;
  const isLess = !isDeepStrictEqual(grant?.more, escalation.sandbox);
  escalation.grant = grant;
  const command = commandOf(action);
  if (command === undefined) return undefined;
  command.grant = grant ?? undefined;
  command.prepared = undefined;
  command.granted = isLess ? (grant?.gives ?? 'nothing') : undefined;
  return undefined;
}

/** Resolves a request, or what the host grants of it. A `grant` of `null` gives nothing more. */
function resolve(
  { more, reason }: EscalationRequest,
  granted: unknown,
  { surroundings }: ToolsetState,
): Resolved {
  const { sandbox, root, environment } = checkSurroundings(surroundings).spec;
  const found = escalated(
    sandbox as string,
    root as string,
    environment,
    JSON.stringify(more),
    granted === undefined ? undefined : JSON.stringify(granted),
    reason ?? undefined,
  );
  if (isNativeError(found)) return { mistake: found.message };
  if (typeof found.more !== 'string') return { grant: null };
  const widened = typeof found.widened === 'string' ? JSON.parse(found.widened) : undefined;
  const given: SandboxGrant = JSON.parse(found.more);
  return { grant: { more: given, widened, text: found.text, gives: found.gives } };
}

export { asksForMore, escalationOf, grantTo };
