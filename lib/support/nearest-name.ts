/**
 * Returns the name out of `known` that was probably meant by `name`, or `undefined`. Upper case, `-` and `_`
 * make no difference. A name that continues the other is near, and so is one with few typing errors: one in
 * four or five characters, two in more. In fewer, another letter makes another word.
 */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const bare = plain(name);
  if (bare === '') return undefined;
  const most = bare.length > 5 ? 2 : bare.length > 3 ? 1 : 0;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of known) {
    const candidate = plain(other);
    const isContinued = candidate.startsWith(bare) || bare.startsWith(candidate);
    const errors = typingErrors(bare, candidate);
    // Only one typing error is more likely than a continuation.
    const distance = isContinued ? Math.min(errors, 1.5) : errors;
    if (distance < least && (isContinued || errors <= most)) [best, least] = [other, distance];
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/**
 * Returns the number of characters to insert, remove, replace, or exchange with their neighbour, that make
 * `from` to `to` (the restricted distance of Damerau and Levenshtein).
 */
function typingErrors(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isExchange =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        last[column] + 1,
        current[column - 1] + 1,
        last[column - 1] + (isSame ? 0 : 1),
        isExchange ? before[column - 2] + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, current];
  }
  return last[to.length];
}

export { nearestName };
