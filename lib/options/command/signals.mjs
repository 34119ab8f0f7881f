import { describe, wrong } from '../checks.mjs';

/**
 * Returns whether a value can be a signal. Larger numbers would lose their upper bits on the way to the
 * addon.
 */
function isSignal(signal) {
  return typeof signal === 'string' || (Number.isInteger(signal) && signal >= 0 && signal <= 64);
}

function unknownSignal(signal) {
  const expected = "expected a name such as 'SIGTERM' or its number";
  return wrong(`Unknown signal: ${describe(signal)}; ${expected}`, 'ERR_UNKNOWN_SIGNAL');
}

export { isSignal, unknownSignal };
