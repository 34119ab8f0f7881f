/** The first of `command` and `cmd` that holds a string with something in it, exactly as it was given. */
export function commandFrom(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  for (const key of ['command', 'cmd']) {
    const value = (args as Record<string, unknown>)[key];
    if (typeof value === 'string' && value.trim().length > 0) return value;
  }
  return undefined;
}
