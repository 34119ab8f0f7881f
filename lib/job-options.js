'use strict';

const { inspect } = require('node:util');

/** Checks a BashJob's options, and says what is wrong with which. */
function checkJobOptions(options) {
  if (options === null || typeof options !== 'object') throw invalid('options', 'an object', options);
  const { timeout, signal } = options;
  if (timeout !== undefined && !(typeof timeout === 'number' && Number.isFinite(timeout) && timeout >= 0)) {
    throw invalid('options.timeout', 'a number of milliseconds, 0 for no limit', timeout);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalid('options.signal', 'an AbortSignal', signal);
  }
  return options;
}

function invalid(name, expected, actual) {
  const error = new TypeError(`Invalid option '${name}': expected ${expected}, got ${describe(actual)}`);
  error.code = 'ERR_INVALID_ARG_VALUE';
  return error;
}

/** A value in a message, whatever it is. */
function describe(value) {
  return inspect(value, { depth: 0, customInspect: false });
}

module.exports = { checkJobOptions, describe };
