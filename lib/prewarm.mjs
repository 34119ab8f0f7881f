import { theHost } from './addon/host.mjs';
import { refused } from './job/command-job.mjs';
import { checkPrewarm } from './options/run-options.mjs';

function prewarm(options) {
  const { spec, count, refusal } = checkPrewarm(options);
  // Without a working directory there is nothing to start ahead. The command will say so.
  if (refusal !== null) return false;
  const answer = theHost().prewarm(spec, count);
  if (typeof answer === 'boolean') return answer;
  throw refused(answer);
}

export { prewarm };
