import { theHost } from './addon/host.ts';
import { refused } from './options/checks.ts';
import { checkPrewarm } from './options/run-options.ts';

function prewarm(options?: unknown): boolean {
  const { spec, count, refusal } = checkPrewarm(options);
  // Node.js's own working directory is gone. The command itself will report it.
  if (refusal !== null) return false;
  const answer = theHost().prewarm(spec, count);
  if (typeof answer === 'boolean') return answer;
  throw refused(answer);
}

export { prewarm };
