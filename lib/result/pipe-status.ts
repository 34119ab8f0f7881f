// Reads the statuses of a pipeline: a line after the command writes them to a file in a private directory.

import { theBinding } from '../addon/binding.ts';
import { sessionShell } from '../addon/native.ts';
import type { CommandSpec } from '../job/command-plan.ts';
import { readShared, writeShared } from '../support/shared-files.ts';
import { SharedFolder } from '../support/shared-folder.ts';
import type { Result } from './result.ts';

/** Returns the statuses that a command has saved in a file, or `undefined`. */
function pipeStatusIn(path: string): number[] | undefined {
  // A NUL is at the end.
  return readShared(path, 'latin1')?.replace('\0', '').trim().split(' ').map(Number);
}

/** The statuses of the pipeline in which a command of `run()` ends. */
class PipeStatus {
  #folder = new SharedFolder();

  /**
   * Appends the line that saves the statuses to the command of a `spec`, if the command surely ends in a
   * pipeline.
   */
  constructor(spec: CommandSpec) {
    const { argv, split, command, surroundings } = spec;
    // Most commands have no pipe, which is told here without the addon.
    if (argv !== undefined || split || !command.includes('|')) return;
    const flavor = sessionShell(surroundings.shell?.[0])?.flavor;
    if (flavor === undefined || !theBinding().endsInPipeline(command, flavor)) return;
    const script = this.#writeScript();
    if (script === undefined) return;
    spec.surroundings = { ...surroundings, files: [this.#folder.make()] };
    spec.command += theBinding().statusesLine(flavor, script) ?? '';
  }

  /** Returns the path of the file that the line reads; `undefined` where no directory can be written. */
  #writeScript(): string | undefined {
    try {
      const directory = this.#folder.make();
      const script = `${directory}/pipe`;
      writeShared(script, theBinding().statusesScript(statusesIn(directory)));
      return script;
    } catch {
      // The command runs without its statuses, which then are not known.
      return undefined;
    }
  }

  /** Adds the statuses to the result of a finished command: `null` if they are unknown. */
  report(result: Pick<Result, 'pipeStatus'>): void {
    result.pipeStatus = this.#take();
  }

  /** Returns the statuses, and removes their files. */
  #take(): number[] | null {
    if (this.#folder.path === null) return null;
    const statuses = pipeStatusIn(statusesIn(this.#folder.path)) ?? [];
    this.#folder.remove();
    // After `a && b | c`, a single status belongs to `a`.
    return statuses.length > 1 ? statuses : null;
  }
}

function statusesIn(directory: string): string {
  return `${directory}/statuses`;
}

export { PipeStatus, pipeStatusIn };
