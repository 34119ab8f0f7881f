import { abortSignal, milliseconds, object } from './checks.mjs';

/** Checks a BashJob's options, and says what is wrong with which. */
function checkJobOptions(options) {
  const { timeout, signal } = object('options', options, ['timeout', 'signal']);
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return { timeout, signal };
}

export { checkJobOptions };
