// The token of an approval: what it carries in the open, and a code that binds that to what was shown.

/** Returns the SHA-256 code of a value as text; with a key, one that only who has the key can make. */
function codeOf(value: unknown, key: Uint8Array | string = ''): string {
  // Loaded on demand, because loading takes as long as loading this package, and most hosts have no policy.
  const { createHmac } = require('node:crypto') as typeof import('node:crypto');
  return createHmac('sha256', key).update(JSON.stringify(value)).digest('hex');
}

/** Returns the token that carries a text without a dot, and is bound to `shown`. */
function tokenOf(carried: string, shown: readonly unknown[], key?: Uint8Array): string {
  return `${carried}.${codeOf([carried, ...shown], key)}`;
}

/** Returns what a token carries, if it is a token. */
function carriedBy(token: unknown): string {
  return String(token).split('.')[0];
}

export { carriedBy, codeOf, tokenOf };
