import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseCast } from '../../live/page/replay/parse-cast.ts';
import type { ServedRecording } from '../../live/server/index.ts';
import { UsageError } from '../arguments.ts';

/**
 * Returns a recording, or those of a directory in the order of their names.
 *
 * @throws UsageError for a file that can't be read or is no recording
 */
function recordingsOf(path: string): ServedRecording[] {
  const files = filesOf(path);
  if (files.length === 0) throw new UsageError(`'${path}' has no file that ends with .cast`, 'live');
  for (const file of files) {
    try {
      parseCast(readFileSync(file, 'utf8'), file);
    } catch (error) {
      throw new UsageError((error as Error).message, 'live');
    }
  }
  return files.map((file) => ({ name: basename(file), read: () => readFileSync(file) }));
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith('.cast'));
    return names.sort().map((name) => join(path, name));
  } catch (error) {
    throw new UsageError(`can't read '${path}': ${(error as Error).message}`, 'live');
  }
}

export { recordingsOf };
