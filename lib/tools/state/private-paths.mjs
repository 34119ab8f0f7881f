// Removes the paths of the session's own files from what a model reads: bash names the file with a command in
// its errors.

/**
 * A file of the session in its private directory; with `bash: ` before it, or `: ` behind it, as part of an
 * error of bash.
 */
const FILE =
  /(bash: )?(?:\/[^\s/:'"`]+)*\/agent-bash\.\d+\.[0-9a-f]+\/(?:command|end|keep|next|a|b)(?:-\d+)?(: )?/g;

/** Returns a text without the paths, or changes those of a result. */
function withoutPrivatePaths(given) {
  if (typeof given === 'string') return cleaned(given);
  given.stdout = cleaned(given.stdout);
  given.stderr = cleaned(given.stderr);
  if (given.view !== null && given.view !== undefined) given.view.text = cleaned(given.view.text);
  return given;
}

function cleaned(text) {
  if (!text.includes('/agent-bash.')) return text;
  return text.replace(FILE, (_, before = '', behind = '') =>
    before && behind ? before : `${before}bash${behind}`,
  );
}

export { withoutPrivatePaths };
