/** Returns the lines of a text from `startLine` to `endLine`: 1-based, inclusive. */
function linesOf(text: string, startLine: number | undefined, endLine: number | undefined): string {
  if (startLine === undefined && endLine === undefined) return text;
  return text
    .split('\n')
    .slice((startLine ?? 1) - 1, endLine)
    .join('\n');
}

export { linesOf };
