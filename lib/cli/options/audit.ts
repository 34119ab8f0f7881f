import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { ToolEvent } from 'agent-bash/tools';
import { UsageError } from '../arguments.ts';

/**
 * Opens a file to which every event except updates is appended, as a line of JSON. Writes synchronously, so
 * that no line is lost when this process is killed.
 *
 * @returns the listener for `onEvent`, and `close()`
 * @throws UsageError
 */
function auditTo(path: string): { listener: (event: ToolEvent) => void; close: () => void } {
  let file: number;
  try {
    file = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY, 0o600);
  } catch (error) {
    throw new UsageError(`can't write to the audit file '${path}': ${(error as Error).message}`, 'mcp');
  }
  return {
    listener(event) {
      if (event.type === 'update') return;
      writeSync(file, `${JSON.stringify({ ...event, time: new Date(event.time).toISOString() })}\n`);
    },
    close: () => closeSync(file),
  };
}

export { auditTo };
