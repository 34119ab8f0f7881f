'use strict';

const { abortSignal, invalid, milliseconds } = require('./checks.js');

/** Checks a BashJob's options, and says what is wrong with which. */
function checkJobOptions(options) {
  if (options === null || typeof options !== 'object') throw invalid('options', 'an object', options);
  const { timeout, signal } = options;
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return { timeout, signal };
}

module.exports = { checkJobOptions };
