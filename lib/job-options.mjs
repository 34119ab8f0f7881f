import { abortSignal, invalid, milliseconds } from './checks.mjs';

/** Checks a BashJob's options, and says what is wrong with which. */
function checkJobOptions(options) {
  if (options === null || typeof options !== 'object') throw invalid('options', 'an object', options);
  const { timeout, signal } = options;
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return { timeout, signal };
}

export { checkJobOptions };
