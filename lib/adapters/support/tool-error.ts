type Loaded = Partial<typeof import('@anthropic-ai/sdk/lib/tools/ToolError')>;

/** The import of the SDK's class, started with the first error. */
let loading: Promise<Loaded> | undefined;

/**
 * Returns an error whose text the SDK's runner sends unchanged.
 *
 * The runner checks the class with `instanceof`, so the class must come from the caller's copy of the SDK. A
 * copy without that class gets an `Error`, to whose message the runner prepends `Error: `.
 */
async function toolError(text: string): Promise<Error> {
  loading ??= import('@anthropic-ai/sdk/lib/tools/ToolError').catch((): Loaded => ({}));
  const { ToolError } = await loading;
  return ToolError === undefined ? new Error(text) : new ToolError(text);
}

export { toolError };
