const LIMIT = 102_400;

/** The end and the output of a process. */
export interface Ending {
  stdout: Buffer;
  stderr: Buffer;
  exitCode: number;
  timedOut: boolean;
}

/** The text that answers a command which was launched. */
export function render({ stdout, stderr, exitCode, timedOut }: Ending): string {
  const streams = [stdout.toString('utf8'), stderr.toString('utf8')];
  const output = streams.filter((text) => text !== '').join('\n');
  const lines = [cut(output)];
  if (timedOut) lines.push('[Process timed out after 30s and was terminated]');
  lines.push(`[Exit code: ${exitCode}]`);
  return lines.join('\n');
}

/**
 * The limit counts what the text takes as UTF-8, not what the process wrote: an invalid byte counts three.
 */
function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= LIMIT) return text;
  return `${bytes.toString('utf8', 0, LIMIT)}\n[Output truncated at 100KB]`;
}
