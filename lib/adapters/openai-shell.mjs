// The arguments and the answer of the `shell` tool of the Responses API, in the spelling of JavaScript SDKs.

/** Converts the SDK's `action` to the arguments of the dialect `openai-shell`. */
function shellArgs(action) {
  const { commands, timeoutMs, maxOutputLength } = action ?? {};
  return { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength };
}

/** Converts the structured form of an answer. */
function shellOutput({ output, max_output_length: maxOutputLength }) {
  return {
    output: output.map(({ stdout, stderr, outcome }) => ({
      stdout,
      stderr,
      outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : { type: 'timeout' },
    })),
    ...(typeof maxOutputLength === 'number' && { maxOutputLength }),
  };
}

export { shellArgs, shellOutput };
