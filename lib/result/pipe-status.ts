// Reads the statuses of a pipeline: a line after the command writes them to a file in a private directory.

import { theHost } from '../addon/host.ts';
import { sessionShell } from '../addon/native.ts';
import type { CommandSpec } from '../job/command-plan.ts';
import { readShared, writeShared } from '../support/shared-files.ts';
import { SharedFolder } from '../support/shared-folder.ts';
import type { Result } from './result.ts';

const STATUSES: Partial<Record<string, string>> = { bash: `"\${PIPESTATUS[@]}"`, zsh: `"\${pipestatus[@]}"` };

/** Returns the line after a command that saves the statuses of its last pipeline; `undefined` for `sh`. */
function statusesLine(kind: string, path: string): string | undefined {
  const statuses = STATUSES[kind];
  return statuses && `\n{ \\builtin . ${path} "$?" ${statuses}; } 2>/dev/null\n`;
}

/** Returns the content of the file that this line reads: it writes the statuses to `path` and keeps `$?`. */
function statusesFile(path: string): string {
  return `\\builtin printf ' %s' "\${@:2}" >${path}\n\\builtin return "$1"\n`;
}

/** Returns the statuses that a command has saved in a file, or `undefined`. */
function pipeStatusIn(path: string): number[] | undefined {
  return readShared(path, 'latin1')?.trim().split(' ').map(Number);
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
    if (flavor === undefined || STATUSES[flavor] === undefined) return;
    if (!theHost().endsInPipeline(command, flavor)) return;
    const script = this.#writeScript();
    if (script === undefined) return;
    spec.surroundings = { ...surroundings, files: [this.#folder.make()] };
    spec.command += statusesLine(flavor, script);
  }

  /** Returns the path of the file that the line reads; `undefined` where no directory can be written. */
  #writeScript(): string | undefined {
    try {
      const directory = this.#folder.make();
      const script = `${directory}/pipe`;
      writeShared(script, statusesFile(statusesIn(directory)));
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

export { PipeStatus, pipeStatusIn, statusesFile, statusesLine };
