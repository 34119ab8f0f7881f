/** The SDK's class for a tool's error, once it has been asked for. */
let loading;

/**
 * An error that the SDK's runner takes as this result. The runner knows the class by identity, so it is that of the caller's
 * own SDK. For one too old to have it, the text is the message of a usual error.
 */
async function toolError(text) {
  loading ??= import('@anthropic-ai/sdk/lib/tools/ToolError').catch(() => ({}));
  const { ToolError } = await loading;
  return ToolError === undefined ? new Error(text) : new ToolError(text);
}

export { toolError };
