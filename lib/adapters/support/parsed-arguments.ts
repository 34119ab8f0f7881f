/**
 * Parses the arguments of a call. Invalid JSON is passed on as text, so that the tool answers with its error.
 */
function parsedArguments(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return input.trim() === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

export { parsedArguments };
