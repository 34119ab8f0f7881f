// Scripts for shells, which are files of their own (`*.sh`): the bundler makes texts of them.

/**
 * Returns a script without its lines of comments, and with a value in place of each `@NAME@`. The values are
 * shell text: paths without special characters, or quoted words.
 */
function filled(script: string, values: Readonly<Record<string, string>> = {}): string {
  return script.replace(/^#.*\n/gm, '').replace(/@([A-Z]+)@/g, (place, name) => values[name] ?? place);
}

export { filled };
