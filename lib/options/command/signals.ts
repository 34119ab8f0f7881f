import { describe, wrong } from '../checks.ts';

/**
 * Returns whether a value can be a signal. Larger numbers would lose their upper bits on the way to the
 * addon.
 */
function isSignal(signal: unknown): signal is string | number {
  const isNumber = typeof signal === 'number' && Number.isInteger(signal);
  return typeof signal === 'string' || (isNumber && signal >= 0 && signal <= 64);
}

function unknownSignal(signal: unknown): TypeError {
  const expected = "expected a name such as 'SIGTERM' or its number";
  return wrong(`Unknown signal: ${describe(signal)}; ${expected}`, 'ERR_UNKNOWN_SIGNAL');
}

export { isSignal, unknownSignal };
