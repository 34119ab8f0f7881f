import { abortSignal, milliseconds, object } from './checks.mjs';

/** Checks the options of `new BashJob()`. */
function checkJobOptions(options) {
  const { timeout, signal } = object('options', options, ['timeout', 'signal']);
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return { timeout, signal };
}

export { checkJobOptions };
