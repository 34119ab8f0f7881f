'use strict';

const { refused } = require('./command-job.js');
const { theHost } = require('./host.js');
const { checkPrewarm } = require('./run-options.js');

function prewarm(options) {
  const { spec, count, refusal } = checkPrewarm(options);
  // Without a working directory there is nothing to start ahead. The command will say so.
  if (refusal !== null) return false;
  const answer = theHost().prewarm(spec, count);
  if (typeof answer === 'boolean') return answer;
  throw refused(answer);
}

module.exports = { prewarm };
