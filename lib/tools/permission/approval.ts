// Decides whether a call may run: by the policy, by the host's `approve`, or by an earlier decision of an
// SDK's user.

import { joinWords, visible } from '../../addon/native.ts';
import type { Credentials } from '../../credentials/credentials.ts';
import { unlessAborted } from '../../job/abort.ts';
import { byOf, emitQuestion, emitTo } from '../../observe/observed-command.ts';
import { describe, oneOf } from '../../options/checks.ts';
import type { SandboxGrant } from '../../options/surroundings/sandbox-api.ts';
import type { Decision } from '../../policy/api.ts';
import { readAnswer, remember } from '../../policy/approve-answer.ts';
import * as tokens from '../../policy/token.ts';
import { redacted } from '../../redact/redacted.ts';
import { messageOf } from '../../support/message-of.ts';
import { wallNow } from '../../support/now.ts';
import type {
  Action,
  CommandAction,
  MistakenEscalation,
  PendingEscalation,
  ReadyAction,
  ResolvedEscalation,
  RunAction,
} from '../actions.ts';
import type { Approval, Escalation, Verdict } from '../api/definition.ts';
import type { PendingCall } from '../api/options.ts';
import { directory } from '../options/command-run-options.ts';
import type { CommandOutcome } from '../outcomes.ts';
import { ABORTED, nothingRun } from '../perform/outcome.ts';
import type { ToolCall, ToolSurroundings, ToolsetState } from '../toolset-state.ts';
import { grantTo } from './escalation.ts';
import { decideAgain, judge } from './policy.ts';

/** An action that needs an approval, with the host's part. */
type Asking = CommandAction & ReadyAction;

/** The verdict on a call, with the code of a denial. */
interface ApprovalAnswer {
  verdict: Verdict;
  reason: string | null;
  code?: string | undefined;
  /** The question to the host, as observers know it, and who has answered. */
  question?: number | undefined;
  by?: 'host' | 'page';
}

/** Returns the outcome of a denied call, or `null`. */
async function approved(
  action: ReadyAction,
  call: ToolCall,
  state: ToolsetState,
): Promise<CommandOutcome | null> {
  if (!runsAnything(action)) return null;
  const marked = refusalOfMark(action, state);
  if (marked !== undefined) return denied(marked, 'DENIED');
  const escalation = consideredIn(action, state);
  if (escalation?.mistake !== undefined) return denied(refusalOf(escalation));
  const { approval, approvalReason, approvalToken } = call.context;
  if (approval === undefined && !isDecided(escalation, state)) return null;
  if (approval === undefined) return byVerdict(await decide({ action, escalation }, call, state), call);
  // No approval overrides a denial of the policy.
  const decision = judge(action, state);
  if (decision?.verdict === 'deny') return denied(decision.reason, decision.code);
  if (approval === 'denied') return denied(String(approvalReason ?? 'the user has denied it'));
  // A misspelled decision, such as 'deny' or `false`, must not run the command.
  if (approval !== 'granted') {
    return denied(`invalid 'approval': expected 'granted' or 'denied', got ${describe(approval)}`);
  }
  if (approvalToken === undefined) {
    return mustAsk(escalation) ? denied('what is beyond the sandbox needs the token of decide()') : null;
  }
  const grant = grantIn(approvalToken);
  const isOther = approvalToken !== tokenOf(action, call, state, grant);
  if (isOther || (grant === undefined && escalation !== null)) {
    return denied('this is not the call that was approved');
  }
  const mistake = escalation?.asks && grantTo(action, escalation, grant, state);
  return mistake === undefined ? null : denied(mistake);
}

/** Returns the request of an action for more than its sandbox gives, marked if an earlier grant covers it. */
function consideredIn(action: Asking, state: ToolsetState): PendingEscalation | null {
  const { escalation } = action;
  if (escalation?.asks !== undefined && escalation.grant !== null) {
    escalation.isGranted = state.grants.cover(
      escalation.grant,
      commandOf(action),
      directoryOf(action, state),
    );
  }
  return escalation;
}

/** Returns whether the host or a person has to decide about a request for more than the sandbox gives. */
function mustAsk(escalation: ResolvedEscalation | null): escalation is ResolvedEscalation {
  return escalation !== null && !escalation.isGranted;
}

/** The name of the mark that the addon puts in the place of an answer to a prompt. */
const ANSWER = 'answer';

/**
 * Returns why a command with the mark of a secret is refused; `undefined` for other commands. It would write
 * the mark where the secret was.
 */
function refusalOfMark(action: CommandAction, { redactor, surroundings }: ToolsetState): string | undefined {
  const command = commandOf(action);
  const hasAnswer = surroundings.onPrompt !== undefined && command.includes(`[redacted:${ANSWER}]`);
  const name = hasAnswer ? ANSWER : (redactor()?.markIn(command) ?? undefined);
  if (name === undefined) return undefined;
  const variable = variableOf(name, surroundings);
  const advice = variable === undefined ? '' : ` Use "$${variable}".`;
  return `The command contains [redacted:${name}], which stands for a secret.${advice}`;
}

/** Returns the variable that has a secret, or the placeholder of a credential. */
function variableOf(name: string, { env = {}, credentials }: ToolSurroundings): string | undefined {
  const ofCredential = (credentials as Credentials | undefined)?.get(name)?.env[0];
  return ofCredential ?? (name in process.env || name in env ? name : undefined);
}

function refusalOf({ mistake }: MistakenEscalation): string {
  return `the sandbox can't give what the command asks for: ${visible(mistake)}`;
}

function byVerdict({ verdict, reason, code }: ApprovalAnswer, { signal }: ToolCall): CommandOutcome | null {
  if (signal.aborted) return nothingRun('aborted', ABORTED);
  if (verdict === 'allow') return null;
  if (verdict === 'deny') return denied(reason ?? DENIED_BY_HOST, code);
  return denied(reason ?? 'it needs an approval, and there is nobody to ask', code);
}

/** The reason of a denial by an `approve` that gives none. */
const DENIED_BY_HOST = 'the host has denied it';

function denied(reason: string, code = 'NOT_APPROVED'): CommandOutcome {
  return { ...nothingRun('denied', reason), errorCode: code };
}

/** Returns whether an action needs a decision: of a policy, the host, or a person. */
function isDecided(
  escalation: ResolvedEscalation | null,
  { policy, refusesDanger, approve }: ToolsetState,
): boolean {
  return policy !== undefined || refusesDanger || approve !== undefined || mustAsk(escalation);
}

/** The fields of an {@link Approval} of a call that runs no command. */
const NO_COMMAND = { command: '', description: null, token: '', escalation: null } as const;

/**
 * Returns the fields that an SDK needs before it asks a person: the verdict, the command to show, and the
 * token that binds the answer to the call.
 */
async function decideAhead(
  action: ReadyAction | undefined,
  call: ToolCall,
  state: ToolsetState,
): Promise<Approval> {
  const nothing: Approval = { ...NO_COMMAND, verdict: 'allow', reason: null };
  if (!action || !runsAnything(action)) return nothing;
  const redactor = state.redactor();
  const escalation = consideredIn(action, state);
  const seen = redacted({ command: commandOf(action), description: descriptionOf(action) }, redactor);
  const marked = refusalOfMark(action, state);
  if (marked !== undefined) return { ...nothing, ...seen, verdict: 'deny', reason: marked };
  if (escalation?.mistake !== undefined) {
    return { ...nothing, ...seen, verdict: 'deny', reason: redacted(refusalOf(escalation), redactor) };
  }
  const { verdict, reason } = await decide({ action, escalation }, call, state);
  // Without a reason, an SDK's adapter would call it a denial of the user.
  const why = verdict === 'deny' ? (reason ?? DENIED_BY_HOST) : reason;
  const token = tokenOf(action, call, state, escalation ? (escalation.grant?.more ?? {}) : undefined);
  return { ...redacted({ verdict, reason: why, escalation: shown(escalation) }, redactor), ...seen, token };
}

/** Returns what a host sees of a request for more than the sandbox gives. */
function shown(escalation: ResolvedEscalation | null): Escalation | null {
  if (escalation === null) return null;
  const { sandbox, text, reason, isGranted } = escalation;
  return { sandbox, text, reason, isGranted };
}

/** An action that needs an approval, and what it asks for beyond its sandbox. */
interface ApprovalQuestion {
  action: CommandAction;
  escalation: ResolvedEscalation | null;
}

/** Asks the policy, and then the host. Resolves with `{ verdict, reason, code }`. */
async function decide(asked: ApprovalQuestion, call: ToolCall, state: ToolsetState): Promise<ApprovalAnswer> {
  const { action, escalation } = asked;
  const decision = judge(action, state);
  if (decision === null && state.approve === undefined && !mustAsk(escalation)) {
    return { verdict: 'allow', reason: null };
  }
  const command = commandOf(action);
  const answer = await verdictOf(decision, asked, command, call, state);
  const event: Parameters<typeof emitTo>[1] = {
    type: 'decision',
    time: wallNow(),
    question: answer.question ?? null,
    call: call.number,
    command,
    verdict: answer.verdict,
    reason: answer.reason,
    by: answer.by ?? 'policy',
  };
  emitTo(state.observers, redacted(event, state.redactor()));
  if (state.hasListener('decision')) {
    const { dialect } = state;
    const { callId } = call.context;
    const { verdict, reason } = answer;
    const grant = verdict === 'allow' ? (escalation?.grant?.more ?? null) : null;
    const more = { description: descriptionOf(action), escalation: shown(escalation), grant };
    state.emit('decision', { dialect, tool: call.tool, callId, command, verdict, reason, decision, ...more });
  }
  const code = decision === null || decision.code === 'ALLOWED' ? undefined : decision.code;
  return { ...answer, code };
}

/**
 * Returns the verdict of the policy. If the policy says `ask`, without a policy, and for more than the
 * sandbox gives, returns the host's.
 */
async function verdictOf(
  decision: Decision | null,
  { action, escalation }: ApprovalQuestion,
  command: string,
  call: ToolCall,
  state: ToolsetState,
): Promise<ApprovalAnswer> {
  const { approve } = state;
  const isAsked = mustAsk(escalation) && decision?.verdict !== 'deny';
  if (decision !== null && !isAsked && (decision.verdict !== 'ask' || approve === undefined)) {
    return { verdict: decision.verdict, reason: decision.verdict === 'allow' ? null : decision.reason };
  }
  const asked = [isAsked ? escalation.text : null, decision?.verdict === 'ask' ? decision.reason : null];
  const why = asked.filter((part) => part !== null).join(' ') || null;
  if (approve === undefined) return { verdict: 'ask', reason: why };
  const { context } = call;
  const cwd = directoryShown(action, state);
  const pending = {
    dialect: state.dialect,
    tool: call.tool,
    args: call.args,
    command,
    description: descriptionOf(action),
    cwd,
    decision,
    escalation: shown(escalation),
    callId: context.callId,
    meta: context.meta,
  };
  const answer = await answerOf(approve, pending, { action, escalation }, call, state);
  const { verdict, reason } = answer;
  if (verdict === 'ask' && isAsked && reason !== null) return { ...answer, reason: `${reason} ${why}` };
  return { ...answer, reason: reason ?? (verdict === 'allow' ? null : why) };
}

/**
 * Returns the answer of the host's function; an invalid answer counts as a denial. An abort settles at once.
 */
async function answerOf(
  approve: NonNullable<ToolsetState['approve']>,
  pending: Omit<PendingCall, 'signal'>,
  asked: ApprovalQuestion,
  { signal, number }: ToolCall,
  state: ToolsetState,
): Promise<ApprovalAnswer> {
  let question: number | undefined;
  const ask = async (own: AbortSignal): Promise<unknown> => {
    const whole = redacted({ ...pending, signal: own }, state.redactor());
    const { command, cwd, decision, escalation } = whole;
    question = emitQuestion(state.observers, whole, { call: number, command, cwd, decision, escalation });
    return approve(whole);
  };
  try {
    const given = await unlessAborted(signal, ask, { verdict: 'deny', reason: ABORTED });
    decideAgain(asked.action);
    const { verdict, reason = null, ...more } = readAnswer(given, ['allow', 'deny', 'ask']);
    if (verdict === 'allow') {
      settleGrant(more, pending, asked, state);
      remember(state.policy, more);
    }
    return { verdict, reason: reason === null ? null : String(reason), question, by: byOf(given) };
  } catch (error) {
    return {
      verdict: 'deny',
      question,
      by: 'host',
      reason: `approve() failed: ${messageOf(error, 'its error cannot be read')}`,
    };
  }
}

/** Gives the command what an answer grants, and keeps that for later calls if the answer says so. */
function settleGrant(
  { sandbox, scope }: { sandbox?: unknown; scope?: unknown; readonly [other: string]: unknown },
  { command, cwd }: Omit<PendingCall, 'signal'>,
  { action, escalation }: ApprovalQuestion,
  state: ToolsetState,
): void {
  oneOf('scope', scope, ['call', 'toolset']);
  if (escalation === null) {
    if (sandbox === undefined && scope === undefined) return;
    throw new TypeError("'sandbox' and 'scope' answer a request for more than the sandbox gives");
  }
  const mistake = grantTo(action, escalation, sandbox, state);
  if (mistake !== undefined) throw new TypeError(`'sandbox' can't be granted: ${mistake}`);
  if (scope === 'toolset' && escalation.asks !== undefined && escalation.grant !== null) {
    state.grants.add(escalation.grant, command, cwd, escalation.reason);
  }
}

/** Returns whether an action starts a command or writes to one. Ending and reading jobs needs no approval. */
function runsAnything<Some extends Action>(action: Some): action is Some & CommandAction {
  if (action.do === 'write') return action.text !== undefined && action.text !== '';
  return action.do === 'run' || action.do === 'batch' || (action.do === 'restart' && action.then !== null);
}

function commandOf(action: CommandAction): string {
  if (action.do === 'write') return action.text ?? '';
  if (action.do === 'batch') return action.runs.map(lineOf).join('\n');
  return lineOf(specOf(action));
}

function lineOf({ command, argv = [] }: Partial<RunAction>): string {
  return command ?? joinWords(argv);
}

/**
 * Returns the directory in which the command of an action starts, or the first one of several; `null` for
 * input to a job, and where the directory on a target is not known yet.
 */
function directoryShown(action: CommandAction, state: ToolsetState): string | null {
  const { cwd, startsAfresh } = specOf(action);
  const isShells = action.do === 'run' && state.session?.takes(action) && cwd === undefined && !startsAfresh;
  const own = isShells ? state.session?.start : null;
  return own ?? directoryOf(action, state);
}

/**
 * Returns the directory to which an approval is bound: that of the host's options where a session's shell may
 * be elsewhere, because calls before this one may move it.
 */
function directoryOf(action: CommandAction, state: ToolsetState): string | null {
  if (action.do === 'write') return null;
  return state.start.absolute(directory(specOf(action), state)) ?? null;
}

/** Returns the model's description of a command; `null` for none, and for several commands. */
function descriptionOf(action: CommandAction): string | null {
  const command = action.do === 'restart' ? action.then : action;
  return (command && 'label' in command && command.label) || null;
}

/** Returns the command of an action, or the first one of several. */
function specOf(action: CommandAction): Partial<RunAction> {
  if (action.do === 'batch') return action.runs[0] ?? {};
  if (action.do === 'restart') return action.then ?? {};
  return action.do === 'run' ? action : {};
}

/** The random key of this process, so that nobody who answers a question can make a valid token. */
let key: Uint8Array | undefined;

function randomKey(): Uint8Array {
  const { randomBytes } = require('node:crypto') as typeof import('node:crypto');
  return randomBytes(32);
}

/** Binds an approval to the tool, its arguments, the directory, and what was granted beyond the sandbox. */
function tokenOf(
  action: CommandAction,
  call: ToolCall,
  state: ToolsetState,
  grant: SandboxGrant | undefined,
): string {
  key ??= randomKey();
  const carried = grant === undefined ? '' : Buffer.from(JSON.stringify(grant)).toString('base64url');
  const shown = [state.dialect, call.tool, call.text, commandOf(action), directoryOf(action, state)];
  return tokens.tokenOf(carried, shown, key);
}

/** Returns what a token grants beyond the sandbox. The code in it says whether that is true. */
function grantIn(token: string): SandboxGrant | undefined {
  const carried = tokens.carriedBy(token);
  try {
    return carried === '' ? undefined : JSON.parse(Buffer.from(carried, 'base64url').toString());
  } catch {
    return undefined;
  }
}

export { approved, decideAhead, NO_COMMAND };
