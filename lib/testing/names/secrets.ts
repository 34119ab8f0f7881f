import { failure, inheritedEnvironment } from '../../addon/native.ts';

/** The shortest value that counts as a secret: shorter ones stand in any text. */
const MIN_LENGTH = 6;

/** Returns the values of variables that sandboxes withhold, each with the name of its variable. */
export function secretVariables(environment: string): Map<string, string> {
  const secrets = new Map<string, string>();
  if (failure !== null) return secrets;
  const kept = new Set(inheritedEnvironment(environment, 'safe').split('\0'));
  const withheld = environment.split('\0').filter((line) => line !== '' && !kept.has(line));
  // A long value comes first: it may have a short one in it.
  const pairs = withheld.map((line) => [
    line.slice(line.indexOf('=', 1) + 1),
    line.slice(0, line.indexOf('=', 1)),
  ]);
  for (const [value, name] of pairs.sort(([one], [other]) => other.length - one.length)) {
    if (value.length >= MIN_LENGTH) secrets.set(value, name);
  }
  return secrets;
}
