/** Returns the message of a thrown value. Never throws, although reading the value may throw. */
function messageOf(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'the arguments cannot be read';
  }
}

export { messageOf };
