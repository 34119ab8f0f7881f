// The session of a toolset, whose state is kept between calls.

import { addAbortListener } from '../../job/abort.ts';
import { HIDDEN, withCause } from '../../job/command-events.ts';
import { isSandboxed } from '../../options/surroundings/sandbox/sandbox-form.ts';
import { OR_SH } from '../../options/surroundings/shell-option.ts';
import { FILES, surroundingsOf } from '../../options/surroundings/surroundings.ts';
import type { SessionResult } from '../../session/api.ts';
import { ShellSession } from '../../session/shell-session.ts';
import { saveScript } from '../../session/state-scripts.ts';
import { isWithin } from '../../support/paths/within.ts';
import { writeShared } from '../../support/shared-files.ts';
import { newFileNumber, numberedFiles, SharedFolder } from '../../support/shared-folder.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type { RunAction } from '../actions.ts';
import type { CommandOptions } from '../options/command-run-options.ts';
import type { CheckedTools } from '../options/toolset-options.ts';
import type { CommandOutcome } from '../outcomes.ts';
import type { ToolCall, ToolSurroundings } from '../toolset-state.ts';
import { isDirectory } from './cwd/start-directory.ts';
import type { FilesThere } from './files-there.ts';
import { withoutPrivatePaths, withoutPrivatePathsIn } from './private-paths.ts';

/** The options of `run()` that each command of a session takes; the others belong to the session. */
const OF_A_RUN = [
  'timeout',
  'idleTimeout',
  'signal',
  'input',
  'drain',
  'output',
  'forceKillAfterDelay',
  'pipeStatus',
] as const;

type OwnOptions = Pick<CommandOptions, (typeof OF_A_RUN)[number]>;

/** The part of a command's shell that a session keeps. */
export type Keep = 'process' | 'state';

/** The most commands that may wait. Each may have a command behind it that saves the state. */
const MAX_QUEUE = 2_000;

/**
 * The timeout of saving the state, and the longest time that the end of a session waits for it (ms). A shell
 * takes some ms.
 */
const SAVE_TIMEOUT = 10_000;
const SAVE_DEADLINE = 2_000;

/**
 * The session of a toolset. It starts with the first command. `keep`: `process` or `state`. `overlap`:
 * whether a call that finds another one running waits (`queue`) or gets a shell of its own (`fresh`); by
 * default the dialect decides.
 */
class ToolSession {
  #keep: Keep;
  #overlap: 'queue' | 'fresh' | undefined;
  /** The root, if commands run in a sandbox. */
  #sandboxRoot: string | undefined;
  /** The treatment of background processes when the session is closed. */
  #background: 'keep' | 'kill';
  /** The files on a target; `undefined` on this machine. */
  #there: FilesThere | undefined;
  #shell: ShellSession | null = null;
  /** The directory for the saved state, in a session that keeps its shell. */
  #folder = new SharedFolder();
  /** The script in it by which the shell saves its state; `null` while none is saved. */
  #stateScript: string | null = null;
  /** Resolves when the shell has saved the state of the last command that is over. */
  #saving: Promise<void> | undefined;
  /** The number of calls that run or wait. */
  #running = 0;
  /** Resolves when the call that takes the shell to another directory has queued its command. */
  #move: Promise<void> | undefined;
  /** Whether a new shell has taken over the state, and no result has said so yet. */
  #wasRestarted = false;
  /** The way in which the session ended, for a dialect that must then restart it; `null` otherwise. */
  ended: CommandOutcome | null = null;

  constructor(
    keep: Keep,
    { overlap, background }: Pick<CheckedTools, 'overlap' | 'background'>,
    { root, sandbox }: ToolSurroundings,
    there: FilesThere | undefined,
  ) {
    this.#there = there;
    this.#keep = keep;
    this.#sandboxRoot = isSandboxed(sandbox) ? root : undefined;
    this.#overlap = overlap;
    this.#background = background === 'keep' ? 'keep' : 'kill';
  }

  /**
   * Returns whether the command can run in the session: a command with variables of its own, of words, or
   * with more than the sandbox of the session's shell gives, can't.
   */
  mayTake({ argv, isJob, pty, env = [], grant }: RunAction): boolean {
    return argv === undefined && !isJob && !pty && env.length === 0 && grant === undefined;
  }

  /**
   * Returns whether the command runs in the session now. One that overlaps with another, or may go on as a
   * job, gets a shell of its own where the dialect or the host says so.
   */
  takes(spec: RunAction): boolean {
    const overlaps = this.#overlap === undefined ? spec.overlaps : this.#overlap === 'fresh';
    const needsOwn = (overlaps && this.#running > 0) || (spec.overlaps && spec.yieldMs !== undefined);
    return this.mayTake(spec) && !needsOwn;
  }

  /**
   * Whether the session keeps a state and no shell, so that the state survives a shell that ends with a
   * command.
   */
  get isKeptState(): boolean {
    return this.#keep === 'state';
  }

  /** The directory of the shell, or `null` before the first command. */
  get cwd(): string | null {
    return this.#shell?.cwd ?? null;
  }

  /** The directory in which the shell's next command starts; `null` if it is not known. */
  get start(): string | null {
    return this.removed === undefined ? this.cwd : null;
  }

  /**
   * The directory of the last command, if it was removed and the next one starts in the first directory
   * instead.
   */
  get removed(): string | undefined {
    const { cwd } = this;
    // Outside of the root, a directory in a sandbox may be none of the host's.
    const isKnown = this.#sandboxRoot === undefined || (cwd !== null && isWithin(this.#sandboxRoot, cwd));
    return this.#keep === 'state' && cwd !== null && isKnown && !isDirectory(cwd) ? cwd : undefined;
  }

  /** Counts a call as running in the session until `release()`. */
  hold(): void {
    this.#running++;
  }

  release(): void {
    this.#running--;
  }

  /** Whether no other call runs or waits. */
  get isAlone(): boolean {
    return this.#running === 1;
  }

  /** Whether a call is taking the shell to another directory. */
  get isMoving(): boolean {
    return this.#move !== undefined;
  }

  /** Waits until that call has queued its command, or until the signal fires. */
  async moved(signal: AbortSignal): Promise<void> {
    let forget: (() => void) | undefined;
    const aborted = new Promise<void>((resolve) => {
      forget = addAbortListener(signal, resolve);
    });
    await Promise.race([this.#move, aborted]);
    forget?.();
  }

  /** Makes other calls wait until the returned function is called. */
  startMove(): () => void {
    let resolve: (() => void) | undefined;
    this.#move = new Promise<void>((settle) => {
      resolve = settle;
    });
    return () => {
      this.#move = undefined;
      resolve?.();
    };
  }

  /**
   * Runs a command in the session. `options` are those of `run()`. With `savesState`, a session that keeps
   * its shell also saves the state after the command, so that a new shell can restore it if the next command
   * ends the shell.
   */
  async run(
    command: string,
    options: CommandOptions,
    started?: ToolCall['started'],
    savesState = false,
  ): Promise<SessionResult> {
    const mayLack = savesState && this.#there !== undefined && this.#keep === 'process';
    if (mayLack && this.#stateScript === null) this.#stateScript = await this.#makeScriptThere();
    this.#shell ??= this.#start(options);
    const shell = this.#shell;
    const own: OwnOptions = Object.fromEntries(OF_A_RUN.map((name) => [name, options[name]]));
    const ending = started ? announced(shell, command, own, started) : shell.run(command, own);
    const saving = savesState && this.#keep === 'process' ? this.#saveState(shell) : undefined;
    const result = await ending;
    this.#saving = saving;
    // The files on a target went with its connection.
    if (result.error?.code === 'SESSION_LOST' && mayLack) this.#stateScript = null;
    if (this.#wasRestarted) result.restarted = true;
    this.#wasRestarted = false;
    return withoutPrivatePathsIn(result);
  }

  /** Replaces the shell by a new one, without the state. */
  async restart(): Promise<void> {
    this.ended = null;
    await this.#saved();
    this.#stateScript = null;
    await this.#shell?.restart();
    this.#wasRestarted = false;
  }

  async close(): Promise<void> {
    await this.#saved();
    await this.#shell?.close();
    this.#folder.remove();
  }

  #start(options: CommandOptions): ShellSession {
    try {
      if (this.#keep === 'process' && this.#there === undefined) this.#folder.make();
    } catch {
      // Without files, a new shell has no state.
    }
    return new ShellSession({
      keep: this.#keep,
      ...surroundingsOf(options),
      background: this.#background,
      maxQueue: MAX_QUEUE,
      shell: [options.shell ?? (this.#there === undefined ? 'bash' : 'auto')].flat()[0],
      [OR_SH]: options[OR_SH],
      [FILES]: this.#folder.path === null ? undefined : [this.#folder.path],
    });
  }

  /**
   * Waits until the shell has saved the state. A shell that is interrupted meanwhile may write to files whose
   * names are freed memory, because bash forgets what it was parsing.
   */
  async #saved(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise((resolve) => {
      timer = setTimeout(resolve, SAVE_DEADLINE);
    });
    await Promise.race([this.#saving, limit]);
    clearTimeout(timer);
  }

  /** Makes the script for a shell on a target; `null` where that is not possible. */
  async #makeScriptThere(): Promise<string | null> {
    const number = newFileNumber();
    const script = (directory: string) => saveScript(numberedFiles(directory, number));
    return (await this.#there?.write(`keep-${number}`, script)) ?? null;
  }

  /**
   * Queues a command behind the one before it: the shell saves its state, or restores it where it is a new
   * one. It delays no answer, because models take longer to read one.
   */
  #saveState(shell: ShellSession): Promise<void> | undefined {
    if (this.#there === undefined && this.#folder.path === null) return undefined;
    try {
      if (this.#there === undefined) this.#stateScript ??= makeStateScript(this.#folder.make());
    } catch {
      // Without a file, a new shell has no state.
    }
    if (this.#stateScript === null) return undefined;
    const command = `\\builtin . ${this.#stateScript} "$?"`;
    const options = { timeout: SAVE_TIMEOUT, output: { maxBytes: 0 } };
    return withCause(HIDDEN, () => shell.run(command, options)).then(
      ({ restarted }) => {
        this.#wasRestarted ||= restarted;
      },
      // A session that is closed has no state to save.
      () => {},
    );
  }
}

/** Runs a command in the shell, and announces it before its first output. */
function announced(
  shell: ShellSession,
  command: string,
  own: OwnOptions,
  started: NonNullable<ToolCall['started']>,
): Promise<SessionResult> {
  const job = shell.start(command, own);
  started({ job, pty: false, shown: withoutPrivatePaths });
  return job.result as Promise<SessionResult>;
}

/** Makes the script for a shell without a saved state. */
function makeStateScript(directory: string): string {
  const path = numberedFiles(directory, newFileNumber());
  writeShared(path('keep'), saveScript(path));
  return path('keep');
}

export { ToolSession };
