// A call as an iteration over its updates, and the signal that ends a call.

import { addAbortListener } from '../job/abort.ts';
import { ChunkIterator } from '../job/streams/chunk-iterator.ts';
import { invalid } from '../options/checks.ts';
import type { CallContext, ToolResult, ToolUpdate } from './api/definition.ts';
import { dropAfterThrow, lastLine } from './updates.ts';

/** The signal that ends a call, and the function that lets go of what it depends on. */
export interface CallSignal {
  signal: AbortSignal;
  forget(): void;
}

/**
 * Returns the signal that ends a call, and `forget()`, which lets go of what it depends on: a signal of this
 * package, and the caller's signal if there is one. Most calls have none, and a signal of their own would
 * cost them 20 µs.
 */
function eitherSignal(own: AbortSignal, signal: AbortSignal | null | undefined): CallSignal {
  if (signal === undefined || signal === null) return { signal: own, forget() {} };
  // A signal of another realm is no instance of this one's class.
  if (typeof signal.addEventListener !== 'function') throw invalid('signal', 'an AbortSignal', signal);
  const controller = new AbortController();
  const abort = () => controller.abort();
  const forgetters = [signal, own].map((source) => addAbortListener(source, abort));
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    forget() {
      for (const forget of forgetters) forget();
    },
  };
}

/** Yields the updates of a call; the last value is the result. */
function stream(
  args: unknown,
  context: CallContext,
  execute: (args: unknown, context: CallContext) => Promise<ToolResult>,
): AsyncIterableIterator<ToolUpdate> {
  const controller = new AbortController();
  const ending = eitherSignal(controller.signal, context.signal);
  const updates = new ChunkIterator<ToolUpdate>(
    () => {},
    () => controller.abort(),
  );
  const listener = dropAfterThrow(context.onUpdate);
  const onUpdate = (update: ToolUpdate) => {
    // The iteration has ended with the answer.
    if (update.job === undefined) updates.push(update);
    listener(update);
  };
  execute(args, { ...context, signal: ending.signal, onUpdate }).then((result) => {
    ending.forget();
    updates.push({ done: true, text: result.text, tail: lastLine(result.text), result });
    updates.finish();
  });
  return updates;
}

export { eitherSignal, stream };
