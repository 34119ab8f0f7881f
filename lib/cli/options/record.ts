import type { RecordOptions } from 'agent-bash';
import { UsageError } from '../arguments.ts';

export interface RecordValues {
  record?: string;
}

/** Returns the option `record` by the value of `--record`: a path that ends with a slash is a directory. */
function recordOf({ record }: RecordValues): { record?: RecordOptions } {
  if (record === undefined) return {};
  return { record: record.endsWith('/') ? { directory: record } : { file: record } };
}

/** Returns the error of a recording that can't be created as one of the command line; leaves other errors. */
function recordError(command: string, { record }: RecordValues, error: unknown): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (record === undefined || syscall === undefined) return error;
  return new UsageError(`can't record to '${record}': ${message}`, command);
}

export { recordError, recordOf };
