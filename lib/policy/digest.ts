/** Returns the SHA-256 digest of a text in hexadecimal. */
export function digestOf(text: string): string {
  // Loaded on demand, because loading takes as long as loading this package, and most hosts have no policy.
  const { createHash } = require('node:crypto') as typeof import('node:crypto');
  return createHash('sha256').update(text).digest('hex');
}
