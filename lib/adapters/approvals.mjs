// Approval by the SDK's own prompt: the SDK calls an approval hook first, and `execute` after the user's answer.

/** Bound on kept decisions: the user may never answer a prompt, and then `execute` never takes the decision. */
const MOST_PENDING = 1_000;

/**
 * The longest time that an SDK's hook waits for the host's decision (ms). The SDKs pass no signal to their hooks, so an abort
 * could not end a longer wait. `execute` waits on, with the signal. 3 s: time for a host that asks another service.
 */
const HOOK_LIMIT = 3_000;

/** The verdict of a hook whose host has not decided in time: the SDK asks nobody, and `execute` waits for the decision. */
const LATE = 'late';

/** Keeps each decision from the SDK's approval hook until the SDK executes the call. */
class PendingApprovals {
  #entries = new Map();

  /** Decides about a call, and keeps the decision under the SDK's call id. Resolves with `verdict` and `reason`. */
  async decide(tool, args, context) {
    if (context.callId === undefined) return tool.decide(args, context);
    const controller = new AbortController();
    const decision = tool.decide(args, { ...context, signal: controller.signal });
    const entry = { decision, controller, isLate: false };
    this.#keep(keyOf(tool, context.callId), entry);
    const inTime = await within(decision, HOOK_LIMIT);
    entry.isLate = inTime === undefined;
    return inTime ?? { verdict: LATE, reason: null };
  }

  /**
   * Removes the decision about a call, waits for it if it is late, and resolves with the approval fields of the context for
   * `execute`.
   *
   * @param isApproved whether the user approved the call, for the verdict `ask`
   */
  async take(tool, callId, isApproved, signal) {
    const key = keyOf(tool, callId);
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry === undefined) return {};
    const decision = await unlessAborted(entry.decision, signal);
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
    return {
      approval: isGranted ? 'granted' : 'denied',
      approvalReason: isGranted ? undefined : (why ?? undefined),
      approvalToken: token,
    };
  }

  #keep(key, entry) {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > MOST_PENDING) this.#entries.delete(this.#entries.keys().next().value);
  }
}

/** Resolves with the value of a promise, or with `undefined` after `limit` milliseconds. */
async function within(promise, limit) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the value of a promise, or with `undefined` once the signal fires. */
async function unlessAborted(promise, signal) {
  if (!signal) return promise;
  let listener;
  const aborted = new Promise((resolve) => {
    listener = () => resolve();
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

function keyOf(tool, callId) {
  return `${tool.name} ${callId}`;
}

export { LATE, PendingApprovals };
