// The output of a command whose target was lost: most dialects give the reason of a failed command alone.

const LOST = ['TARGET_LOST', 'SESSION_LOST'];

/**
 * Returns the reason of a lost command with its output so far; `undefined` for any other command, and if the
 * dialect's answer has that output already.
 */
function reasonWithOutput({ errorCode, error, stdout, stderr }, answer) {
  const parts = [stdout, stderr].map((part) => part?.trimEnd()).filter(Boolean);
  if (!LOST.includes(errorCode) || parts.length === 0) return undefined;
  const isIn = (part) => answer.includes(part) || answer.includes(JSON.stringify(part).slice(1, -1));
  return parts.every(isIn) ? undefined : `${error}\nThe output so far:\n${parts.join('\n')}`;
}

export { reasonWithOutput };
