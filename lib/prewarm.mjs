import { theHost } from './addon/host.mjs';
import { refused } from './options/checks.mjs';
import { checkPrewarm } from './options/run-options.mjs';

function prewarm(options) {
  const { spec, count, refusal } = checkPrewarm(options);
  // Node.js's own working directory is gone. The command itself will report it.
  if (refusal !== null) return false;
  const answer = theHost().prewarm(spec, count);
  if (typeof answer === 'boolean') return answer;
  throw refused(answer);
}

export { prewarm };
