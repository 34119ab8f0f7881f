interface SignalCallbacks {
  callbacks: Set<() => void>;
  listener: () => void;
}

/**
 * signal -> its callbacks, and the one listener that calls them. Node.js warns of a leak if each job adds a
 * listener.
 */
const callbacksOf = new WeakMap<AbortSignal, SignalCallbacks>();

/** Calls `callback` when the signal fires. Returns a function that cancels this. */
function addAbortListener(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = entryOf(signal);
  if (callbacks.size === 0) signal.addEventListener('abort', listener, { once: true });
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', listener);
  };
}

/**
 * Calls `start`, and resolves with the value of its promise, or with `aborted` at once when the signal fires.
 *
 * The signal may have fired already. `start` gets a signal of its own, so that the listeners it leaves there
 * go with the call.
 */
async function unlessAborted<Answer, Aborted>(
  signal: AbortSignal,
  start: (signal: AbortSignal) => Promise<Answer>,
  aborted: Aborted,
): Promise<Answer | Aborted> {
  const controller = new AbortController();
  let forget: (() => void) | undefined;
  const abort = new Promise<Aborted>((resolve) => {
    const end = () => {
      resolve(aborted);
      controller.abort();
    };
    if (signal.aborted) end();
    forget = addAbortListener(signal, end);
  });
  try {
    return await Promise.race([start(controller.signal), abort]);
  } finally {
    forget?.();
  }
}

function entryOf(signal: AbortSignal): SignalCallbacks {
  let entry = callbacksOf.get(signal);
  if (entry === undefined) {
    const callbacks = new Set<() => void>();
    const listener = () => {
      for (const callback of [...callbacks]) callback();
    };
    entry = { callbacks, listener };
    callbacksOf.set(signal, entry);
  }
  return entry;
}

export { addAbortListener, unlessAborted };
