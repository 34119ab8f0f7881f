import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { UsageError } from './arguments.mjs';

/**
 * Appends each event but updates to a file, as a line of JSON. Each line is written before anything else happens, so that it
 * is there even when this process is killed.
 *
 * @returns the listener, and what closes the file
 */
function auditTo(path) {
  let file;
  try {
    file = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY, 0o600);
  } catch (error) {
    throw new UsageError(`can't write to the audit file '${path}': ${error.message}`, 'mcp');
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
