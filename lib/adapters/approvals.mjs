// Approval where the SDK asks the person itself: the SDK calls its hook before the call and `execute` after it.

/** How many decisions wait for their call. A call that nobody answers is never executed; its decision is dropped. */
const MOST_PENDING = 1_000;

/** Keeps what was decided about a call from the SDK's hook until the SDK executes the call. */
class PendingApprovals {
  #decisions = new Map();

  /** Decides about a call, and keeps the decision under the SDK's id of the call. */
  async decide(tool, args, context) {
    const decision = await tool.decide(args, context);
    if (context.callId !== undefined) this.#keep(keyOf(tool, context.callId), decision);
    return decision;
  }

  /**
   * Returns what `execute` is to be told about the approval of this call, and forgets the decision.
   *
   * @param isApproved whether the SDK executes a call of verdict `ask` only when a person has approved it
   */
  take(tool, callId, isApproved) {
    const key = keyOf(tool, callId);
    const decision = this.#decisions.get(key);
    this.#decisions.delete(key);
    if (decision === undefined) return {};
    const { verdict, reason, token } = decision;
    const isGranted = verdict === 'allow' || (verdict === 'ask' && isApproved);
    return {
      approval: isGranted ? 'granted' : 'denied',
      approvalReason: isGranted ? undefined : (reason ?? undefined),
      approvalToken: token,
    };
  }

  #keep(key, decision) {
    this.#decisions.delete(key);
    this.#decisions.set(key, decision);
    if (this.#decisions.size > MOST_PENDING) this.#decisions.delete(this.#decisions.keys().next().value);
  }
}

function keyOf(tool, callId) {
  return `${tool.name} ${callId}`;
}

export { PendingApprovals };
