// Decides whether a call may run: by the policy, by the host's `approve`, or by an earlier decision of an
// SDK's user.

import { joinWords } from '../../addon/native.mjs';
import { unlessAborted } from '../../job/abort.mjs';
import { describe } from '../../options/checks.mjs';
import { remember } from '../../policy/authorize.mjs';
import { messageOf } from '../../support/message-of.mjs';
import { directory } from '../options/run-options.mjs';
import { ABORTED, nothingRun } from '../perform/outcome.mjs';
import { judge } from './policy.mjs';

/** Returns the outcome of a denied call, or `null`. */
async function approved(action, call, state) {
  if (!runsAnything(action)) return null;
  const { approval, approvalReason, approvalToken } = call.context;
  if (approval === undefined && !isDecided(state)) return null;
  if (approval === undefined) return byVerdict(await decide(action, call, state), call);
  // No approval overrides a denial of the policy.
  const decision = judge(action, state);
  if (decision?.verdict === 'deny') return denied(decision.reason, decision.code);
  if (approval === 'denied') return denied(String(approvalReason ?? 'the user has denied it'));
  // A misspelled decision, such as 'deny' or `false`, must not run the command.
  if (approval !== 'granted') {
    return denied(`invalid 'approval': expected 'granted' or 'denied', got ${describe(approval)}`);
  }
  const isOther = approvalToken !== undefined && approvalToken !== tokenOf(action, call, state);
  return isOther ? denied('this is not the call that was approved') : null;
}

function byVerdict({ verdict, reason, code }, { signal }) {
  if (signal.aborted) return nothingRun('aborted', ABORTED);
  if (verdict === 'allow') return null;
  if (verdict === 'deny') return denied(reason ?? DENIED_BY_HOST, code);
  return denied(reason ?? 'it needs an approval, and there is nobody to ask', code);
}

/** The reason of a denial by an `approve` that gives none. */
const DENIED_BY_HOST = 'the host has denied it';

function denied(reason, code = 'NOT_APPROVED') {
  return { ...nothingRun('denied', reason), errorCode: code };
}

/** Returns whether a policy or the host decides about the calls of a toolset. */
function isDecided({ policy, refusesDanger, approve }) {
  return policy !== undefined || refusesDanger || approve !== undefined;
}

/**
 * Returns the fields that an SDK needs before it asks a person: the verdict, the command to show, and the
 * token that binds the answer to the call.
 */
async function decideAhead(action, call, state) {
  if (!action || !runsAnything(action)) return { verdict: 'allow', reason: null, command: '', token: '' };
  const token = tokenOf(action, call, state);
  const { verdict, reason } = await decide(action, call, state);
  // Without a reason, an SDK's adapter would call it a denial of the user.
  const why = verdict === 'deny' ? (reason ?? DENIED_BY_HOST) : reason;
  return { verdict, reason: why, command: commandOf(action), token };
}

/** Asks the policy, and then the host. Resolves with `{ verdict, reason, code }`. */
async function decide(action, call, state) {
  const decision = judge(action, state);
  if (decision === null && state.approve === undefined) return { verdict: 'allow', reason: null };
  const command = commandOf(action);
  const answer = await verdictOf(decision, { action, command }, call, state);
  if (state.hasListener('decision')) {
    const { dialect } = state;
    const { callId } = call.context;
    state.emit('decision', { dialect, tool: call.tool, callId, command, ...answer, decision });
  }
  const code = decision === null || decision.code === 'ALLOWED' ? undefined : decision.code;
  return { ...answer, code };
}

/** Returns the verdict of the policy. If the policy says `ask`, or without a policy, returns the host's. */
async function verdictOf(decision, { action, command }, call, state) {
  const { approve } = state;
  if (decision !== null && (decision.verdict !== 'ask' || approve === undefined)) {
    return { verdict: decision.verdict, reason: decision.verdict === 'allow' ? null : decision.reason };
  }
  const { context } = call;
  const pending = {
    dialect: state.dialect,
    tool: call.tool,
    args: call.args,
    command,
    cwd: directoryOf(action, state),
    decision,
    callId: context.callId,
    meta: context.meta,
  };
  const { verdict, reason } = await answerOf(approve, pending, call.signal, state.policy);
  return { verdict, reason: reason ?? (verdict === 'allow' ? null : (decision?.reason ?? null)) };
}

/**
 * Returns the answer of the host's function; an invalid answer counts as a denial. An abort settles at once.
 */
async function answerOf(approve, pending, signal, policy) {
  const ask = (own) => approve({ ...pending, signal: own });
  try {
    const answer = await unlessAborted(signal, ask, { verdict: 'deny', reason: ABORTED });
    const {
      verdict,
      reason = null,
      addRule,
    } = typeof answer === 'string' ? { verdict: answer } : (answer ?? {});
    if (!['allow', 'deny', 'ask'].includes(verdict))
      return { verdict: 'deny', reason: `approve() has to give 'allow', 'deny' or 'ask'` };
    if (verdict === 'allow' && addRule !== undefined && policy !== undefined) remember(policy, addRule);
    return { verdict, reason: reason === null ? null : String(reason) };
  } catch (error) {
    return { verdict: 'deny', reason: `approve() failed: ${messageOf(error)}` };
  }
}

/** Returns whether an action starts a command or writes to one. Ending and reading jobs needs no approval. */
function runsAnything(action) {
  if (action.do === 'write') return action.text !== undefined && action.text !== '';
  return action.do === 'run' || action.do === 'batch' || (action.do === 'restart' && action.then !== null);
}

function commandOf(action) {
  if (action.do === 'write') return action.text;
  if (action.do === 'batch') return action.runs.map(lineOf).join('\n');
  return lineOf(action.do === 'restart' ? action.then : action);
}

function lineOf({ command, argv }) {
  return command ?? joinWords(argv);
}

function directoryOf(action, state) {
  if (action.do === 'write') return null;
  const spec = action.do === 'batch' ? action.runs[0] : (action.then ?? action);
  return directory(spec ?? {}, state) ?? process.cwd();
}

/** The random key of this process, so that no other code can make a valid token. */
let key;

/** Binds an approval to the tool, its arguments and the directory. */
function tokenOf(action, call, state) {
  // Loaded on demand: it takes longer to load than all of the tools.
  const { createHmac, randomBytes } = require('node:crypto');
  key ??= randomBytes(32);
  const parts = [state.dialect, call.tool, call.text, commandOf(action), String(directoryOf(action, state))];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

export { approved, decideAhead };
