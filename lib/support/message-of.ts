/**
 * Returns the message of a thrown value; `unreadable` if reading the value throws. Never throws itself.
 */
function messageOf(error: unknown, unreadable = 'the arguments cannot be read'): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return unreadable;
  }
}

export { messageOf };
