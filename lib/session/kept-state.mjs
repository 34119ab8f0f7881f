import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ref, register, theHost, unref, unregister } from '../addon/host.mjs';
import { onAbort } from '../job/abort.mjs';
import { startCommand } from '../job/command-job.mjs';
import { CommandError } from '../result/command-error.mjs';
import { makeDisposable, sessionResult, stoppedBeforeItStarted } from '../result/result.mjs';
import { timesOf } from './live-shell.mjs';
import { SessionJob } from './session-job.mjs';
import { endScript, statusesFile, statusesLine, words } from './state-scripts.mjs';

/**
 * A session that keeps a state, and no shell (`keep: 'state'`): a fresh shell restores it for each command, and leaves its own
 * if the command ends cleanly.
 */
class KeptState {
  #plan;
  #shell;
  #kind;
  #directory = null;
  /** The file with the state, and where the shell that left it was. */
  #state = null;
  #cwd = null;
  #initialCwd;
  #nextToken = 1;
  /** The numbers of the commands that run. */
  #running = new Set();
  /** A command that was begun before a restart leaves no state. */
  #generation = 0;
  #idle = [];
  #isReferenced = true;
  #holdsNode = false;

  constructor(plan) {
    this.#plan = plan;
    this.#initialCwd = plan.spec.cwd;
    this.#shell = plan.spec.shell ?? usualShell();
    this.#kind = kindOf(this.#shell);
  }

  status() {
    return { state: this.#running.size > 0 ? 'busy' : 'idle', pending: 0, cwd: this.#cwd ?? undefined };
  }

  waiting() {
    return 0;
  }

  async run(plan) {
    const { signal, text, isStrict } = plan;
    const early = this.#plan.refusal ?? (signal?.aborted ? stoppedBeforeItStarted(false) : null);
    const call = early === null ? this.#prepare(plan) : null;
    const native = early ?? (await this.#settled(call, signal));
    const result = sessionResult(native, call === null ? this.#place(text) : this.#adopt(call, native));
    if (plan.spec.more.output?.spill !== undefined) makeDisposable(result);
    if (isStrict && !(result.status === 'exited' && result.exitCode === 0)) {
      throw new CommandError(result, timesOf(plan.spec));
    }
    return result;
  }

  start(plan) {
    const { spec, text, signal } = plan;
    const call = this.#plan.refusal === null ? this.#prepare(plan) : null;
    return new SessionJob({
      start: (number, isWanted) => {
        const refusal = startCommand(number, call.spec, isWanted);
        this.#begin(call, number);
        return refusal;
      },
      startsAtOnce: true,
      isHeard: true,
      isExposed: true,
      refusal: this.#plan.refusal,
      command: text,
      place: (native) => (call === null ? this.#place(text) : this.#adopt(call, native)),
      signal,
      killSignal: spec.more.killSignal ?? 'SIGTERM',
      hasInput: spec.more.openInput === true,
      hasRing: false,
      isForced: spec.more.forceKillAfterDelay !== Infinity,
      spills: spec.more.output?.spill !== undefined,
      isAnswered: false,
      isInSession: true,
      onStart: nothing,
      onEnd: nothing,
    });
  }

  interrupt(signal) {
    if (theHost().signalNumber(signal) === null) return null;
    let wasThere = false;
    for (const number of this.#running) wasThere = theHost().kill(number, signal) || wasThere;
    return wasThere;
  }

  async restart(cwd) {
    this.#generation++;
    await this.#end();
    this.#state = null;
    this.#cwd = null;
    this.#initialCwd = cwd ?? this.#plan.spec.cwd;
  }

  async close() {
    await this.#end();
    if (this.#directory !== null) theHost().removePrivateDirectory(this.#directory);
    return { stdout: '', stderr: '' };
  }

  ref(isReferenced) {
    this.#isReferenced = isReferenced;
    this.#hold();
  }

  /** Writes the files of a command, and gives what the addon is to run. */
  #prepare({ spec, text, pipeStatus }) {
    this.#directory ??= theHost().makePrivateDirectory();
    const token = this.#nextToken++;
    const file = (name) => join(this.#directory, `${name}-${token}`);
    const call = {
      text,
      token,
      generation: this.#generation,
      files: ['command', 'end', 'next', 'next-cwd', 'pipe', 'statuses'].map((name) =>
        name === 'next-cwd' ? `${file('next')}-cwd` : file(name),
      ),
      next: file('next'),
      statuses: file('statuses'),
      number: 0,
    };
    const [command, end, , , pipe] = call.files;
    const hasStatuses = pipeStatus && theHost().hasSurePipe(text, this.#shell);
    const write = (path, content) => writeFileSync(path, content, { mode: 0o600 });
    write(command, hasStatuses ? text + statusesLine(this.#kind, pipe) : text);
    if (hasStatuses) write(pipe, statusesFile(call.statuses));
    write(end, endScript(this.#kind, { shell: this.#shell, command, next: call.next, token }));
    const { cwd, root, environment, limits } = this.#plan.spec;
    call.spec = {
      ...spec,
      command: '',
      // The shell goes to its own directory by itself. Where that has gone, it stays here.
      cwd: this.#state === null ? this.#initialCwd : cwd,
      environment,
      more: {
        ...spec.more,
        shell: undefined,
        argv: [this.#shell, ...words(this.#kind, { state: this.#state, command, end })],
        root,
        limits,
      },
    };
    return call;
  }

  #settled(call, signal) {
    return new Promise((resolve) => {
      let forgetSignal;
      const id = register(({ kind, result }) => {
        if (kind !== 'end') return;
        unregister(id);
        forgetSignal?.();
        resolve(result);
      });
      startCommand(id, call.spec, false);
      this.#begin(call, id);
      if (signal) forgetSignal = onAbort(signal, () => theHost().abort(id));
    });
  }

  #begin(call, number) {
    call.number = number;
    this.#running.add(number);
    this.#hold();
  }

  /** A command is over: takes its state over if that is whole, and gives the command and the directory for its result. */
  #adopt(call, native) {
    this.#running.delete(call.number);
    const isClean = native.status === 'exited' && isComplete(call);
    native.shellEnded = !isClean;
    native.restarted = false;
    native.pipeStatus = numbersIn(call.statuses);
    let keep = null;
    if (isClean && call.generation === this.#generation) {
      const cwd = readFileSync(`${call.next}-cwd`, 'utf8');
      keep = call.next;
      if (this.#state !== null) rmSync(this.#state, { force: true });
      this.#state = call.next;
      this.#cwd = cwd;
    }
    for (const path of call.files) if (path !== keep) rmSync(path, { force: true });
    this.#hold();
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    return this.#place(call.text);
  }

  #place(command) {
    return { command, cwd: this.#cwd ?? this.#initialCwd };
  }

  /** Ends all that runs. */
  async #end() {
    for (const number of this.#running) theHost().abort(number);
    if (this.#running.size > 0) await new Promise((resolve) => this.#idle.push(resolve));
  }

  #hold() {
    const isNeeded = this.#isReferenced && this.#running.size > 0;
    if (isNeeded === this.#holdsNode) return;
    this.#holdsNode = isNeeded;
    if (isNeeded) ref();
    else unref();
  }
}

function isComplete({ next, token }) {
  try {
    return readFileSync(next, 'latin1').endsWith(`# complete ${token}\n`);
  } catch {
    return false;
  }
}

function numbersIn(path) {
  try {
    return readFileSync(path, 'latin1').trim().split(' ').map(Number);
  } catch {
    return undefined;
  }
}

/** Of `sh` it matters what it is: bash leaves more than others. */
function kindOf(shell) {
  let path = shell;
  try {
    path = realpathSync(shell);
  } catch {
    // A name to look for in PATH, or a path of nothing, which the command will say.
  }
  const name = path.split('/').at(-1);
  return name === 'bash' || name === 'zsh' ? name : 'sh';
}

/** As `run()` finds it. */
function usualShell() {
  return ['/bin/zsh', '/bin/bash'].find((path) => existsSync(path)) ?? 'sh';
}

function nothing() {}

export { KeptState };
