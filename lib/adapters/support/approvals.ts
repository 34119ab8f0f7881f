// Approval by the SDK's own prompt: the SDK calls an approval hook first, and `execute` after the user's
// answer.

import type { Approval, CallContext, ToolDefinition } from 'agent-bash/tools';
import { unlessAborted } from '../../job/abort.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';

/** The fields of an approval in the context for `execute`. */
export type ApprovalFields = Pick<CallContext, 'approval' | 'approvalReason' | 'approvalToken'>;

/** The decision about a call under way. */
interface PendingApproval {
  decision: Promise<Approval>;
  controller: AbortController;
  /** Whether the SDK's hook has not waited for the decision. */
  isLate: boolean;
}

/**
 * Bound on kept decisions: the user may never answer a prompt, and then `execute` never takes the decision.
 */
const MAX_PENDING = 1_000;

/**
 * The longest time that an SDK's hook waits for the host's decision (ms). The SDKs pass no signal to their
 * hooks, so an abort could not end a longer wait. `execute` waits on, with the signal. 3 s: time for a host
 * that asks another service.
 */
const HOOK_LIMIT = 3_000;

/**
 * The verdict of a hook whose host has not decided in time: the SDK asks nobody, and `execute` waits for the
 * decision.
 */
const LATE = 'late';

/**
 * Keeps each decision from the SDK's approval hook until the SDK executes the call.
 *
 * A call is known by the SDK's id, or by its arguments where the SDK passes no id to its hook.
 */
class PendingApprovals {
  #entries = new Map<string, PendingApproval>();

  /** Decides about a call, and keeps the decision. Resolves with `verdict` and `reason`. */
  async decide(
    tool: ToolDefinition,
    args: unknown,
    callId: string | undefined,
  ): Promise<{ verdict: Approval['verdict'] | typeof LATE; reason: string | null }> {
    const entry = newEntry(tool, args, callId);
    this.#keep(keyOf(tool, args, callId), entry);
    const inTime = await within(entry.decision, HOOK_LIMIT);
    entry.isLate = inTime === undefined;
    return inTime ?? { verdict: LATE, reason: null };
  }

  /** Returns whether the hook has decided about a call that the SDK has not executed yet. */
  has(tool: ToolDefinition, args: unknown, callId?: string): boolean {
    return this.#entries.has(keyOf(tool, args, callId));
  }

  /**
   * Removes the decision about a call, waits for it if it is late, and resolves with the approval fields of
   * the context for `execute`. A call that the user approved in another process has no decision here, and is
   * decided about now: the user's answer counts for the verdict `ask` alone.
   *
   * @param isApproved whether the user approved the call
   */
  async take(
    tool: ToolDefinition,
    args: unknown,
    callId: string | undefined,
    isApproved: boolean,
    signal: AbortSignal | undefined,
  ): Promise<ApprovalFields> {
    const key = keyOf(tool, args, callId);
    const entry = this.#entries.get(key) ?? (isApproved ? newEntry(tool, args, callId) : undefined);
    this.#entries.delete(key);
    if (entry === undefined) return {};
    const decision = await (signal ? unlessAborted(signal, () => entry.decision, undefined) : entry.decision);
    if (decision === undefined) {
      entry.controller.abort();
      return { approval: 'denied', approvalReason: 'the call was aborted' };
    }
    const { verdict, reason, token } = decision;
    const isTooLate = verdict === 'ask' && entry.isLate;
    const isGranted = verdict === 'allow' || (verdict === 'ask' && isApproved && !isTooLate);
    const why = isTooLate
      ? `approve() answered 'ask' after ${HOOK_LIMIT} ms, too late for the SDK to ask`
      : reason;
    return approvalFields(isGranted, why, token);
  }

  #keep(key: string, entry: PendingApproval): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > MAX_PENDING) this.#entries.delete(this.#entries.keys().next().value ?? '');
  }
}

function newEntry(tool: ToolDefinition, args: unknown, callId: string | undefined): PendingApproval {
  const controller = new AbortController();
  const decision = tool.decide(args, { callId, signal: controller.signal });
  return { decision, controller, isLate: false };
}

/** Returns the approval fields of the context for `execute`. */
function approvalFields(
  isGranted: boolean,
  reason: string | null | undefined,
  token: string,
): ApprovalFields {
  return {
    approval: isGranted ? 'granted' : 'denied',
    approvalReason: isGranted ? undefined : (reason ?? undefined),
    approvalToken: token,
  };
}

/** Resolves with the value of a promise, or with `undefined` after `limit` milliseconds. */
async function within<Value>(promise: Promise<Value>, limit: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function keyOf(tool: ToolDefinition, args: unknown, callId: string | undefined): string {
  return JSON.stringify(callId === undefined ? [tool.name, null, args] : [tool.name, callId]);
}

export { approvalFields, LATE, PendingApprovals };
