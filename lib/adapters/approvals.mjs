// Approval by the SDK's own prompt: the SDK calls an approval hook first, and `execute` after the user's answer.

/** Bound on kept decisions: the user may never answer a prompt, and then `execute` never takes the decision. */
const MOST_PENDING = 1_000;

/** Keeps each decision from the SDK's approval hook until the SDK executes the call. */
class PendingApprovals {
  #decisions = new Map();

  /** Decides about a call, and keeps the decision under the SDK's call id. */
  async decide(tool, args, context) {
    const decision = await tool.decide(args, context);
    if (context.callId !== undefined) this.#keep(keyOf(tool, context.callId), decision);
    return decision;
  }

  /**
   * Removes the decision about a call, and returns the approval fields of the context for `execute`.
   *
   * @param isApproved whether the user approved the call, for the verdict `ask`
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
