/** An error with a stable code. */
export interface CodedError extends Error {
  code: string;
}

/** Returns an error with a stable code. */
export function codedError(code: string, message: string, cause?: Error): CodedError {
  return Object.assign(new Error(message, cause && { cause }), { code });
}
