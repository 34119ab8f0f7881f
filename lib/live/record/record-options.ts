import { mkdirSync } from 'node:fs';
import {
  boolean,
  integer,
  invalid,
  isRecord,
  milliseconds,
  object,
  oneOf,
  path,
} from '../../options/checks.ts';
import { absolutePath } from '../../support/paths/absolute-path.ts';

/** The checked option `record`. */
export interface RecordPlan {
  /** An absolute path: of the file, or of the directory for a file per command. */
  path: string;
  isDirectory: boolean;
  title: string | undefined;
  cols: number;
  rows: number;
  idleTimeLimit: number;
  maxBytes: number;
  maxCommandBytes: number;
  takesAll: boolean;
  recordsInput: boolean;
}

const KNOWN = [
  'file',
  'directory',
  'title',
  'cols',
  'rows',
  'idleTimeLimit',
  'maxBytes',
  'maxCommandBytes',
  'whenSlow',
  'input',
] as const;

const MIB = 1024 * 1024;

/** The largest size of a terminal, as that of `pty`. */
const MAX_CELLS = 1_000;

/** Checks the option `record`, which an error calls `name`. */
function checkRecord(name: string, given: unknown): RecordPlan {
  const isPath = typeof given === 'string' || given instanceof URL;
  if (!isPath && !isRecord(given)) throw invalid(name, 'a path, a file: URL or an object', given);
  const options = object(name, isPath ? { file: given } : given, KNOWN);
  const { file, directory, title, cols, rows, idleTimeLimit, maxBytes, maxCommandBytes } = options;
  if (file !== undefined && directory !== undefined) {
    throw invalid(`${name}.directory`, 'none next to a file', directory);
  }
  const isDirectory = directory !== undefined;
  const place = path(`${name}.${isDirectory ? 'directory' : 'file'}`, directory ?? file);
  if (place === undefined || place === '') {
    throw invalid(`${name}.file`, 'the path of a new file, or a directory', place);
  }
  if (title !== undefined && typeof title !== 'string') throw invalid(`${name}.title`, 'a string', title);
  const most = Number.MAX_SAFE_INTEGER;
  return {
    path: absolutePath(place),
    isDirectory,
    title,
    cols: integer(`${name}.cols`, cols, 1, MAX_CELLS, 'columns') ?? 100,
    rows: integer(`${name}.rows`, rows, 1, MAX_CELLS, 'lines') ?? 30,
    idleTimeLimit: milliseconds(`${name}.idleTimeLimit`, idleTimeLimit, 'a number of seconds') ?? 2,
    maxBytes: integer(`${name}.maxBytes`, maxBytes, 4_096, most, 'bytes') ?? 256 * MIB,
    maxCommandBytes: integer(`${name}.maxCommandBytes`, maxCommandBytes, 0, most, 'bytes') ?? 16 * MIB,
    takesAll: oneOf(`${name}.whenSlow`, options.whenSlow, ['gap', 'wait']) === 'wait',
    recordsInput: boolean(`${name}.input`, options.input) ?? false,
  };
}

/** The mode of a new directory: only its owner can enter it. */
export const MODE_OF_DIRECTORY: number = 0o700;

/** Creates the directory for a file per command, unless it is there. Throws the error of the system. */
function makeRecordDirectory(directory: string): void {
  try {
    mkdirSync(directory, MODE_OF_DIRECTORY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export { checkRecord, makeRecordDirectory };
