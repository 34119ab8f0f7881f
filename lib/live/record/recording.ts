import { open } from 'node:fs';
import { promisify } from 'node:util';
import type { Observer } from '../../observe/observers.ts';
import type { Recording } from './api.ts';
import { APPEND, CastFile, MODE } from './cast-file.ts';
import { CommandRecorders } from './command-recorders.ts';
import { checkRecord, makeRecordDirectory } from './record-options.ts';
import { Recorder } from './recorder.ts';

/** A recording by the option `record`. */
export interface ActiveRecording {
  observer: Observer;
  recording: Recording;
  /** Writes what there is. Resolves also after an error. */
  close(): Promise<void>;
}

/**
 * Checks the option `record` of one command, which an error calls `name`. What is wrong with the file itself
 * is in the recording.
 */
function recordCommand(name: string, given: unknown): ActiveRecording {
  const recorders = new CommandRecorders(checkRecord(name, given));
  return { observer: recorders, recording: recorders.recording, close: () => recorders.close() };
}

/**
 * Checks the option `record` of a table, a session or a toolset, and creates its file or directory.
 *
 * @throws TypeError for a wrong option; the error of the system for a file that is there, or that can't be
 * created
 */
function recordAll(name: string, given: unknown): ActiveRecording {
  const plan = checkRecord(name, given);
  if (plan.isDirectory) {
    makeRecordDirectory(plan.path);
    return recordCommand(name, given);
  }
  const create = () => promisify(open)(plan.path, APPEND, MODE);
  const recorder = new Recorder(plan, false, (onRoom) => {
    const file = new CastFile(plan.path, plan.maxBytes, create, onRoom);
    file.createNow();
    return file;
  });
  return { observer: recorder, recording: recorder.recording, close: () => recorder.close() };
}

export { recordAll, recordCommand };
