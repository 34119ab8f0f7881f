// The session of a toolset, whose state lives on between calls.

import * as engine from '../../index.mjs';

// Read by name, because the bundler warns about a missing export.
const ShellSession = Reflect.get(engine, 'ShellSession');

/** Whether this version of the package has sessions. */
const hasSessions = ShellSession !== undefined;

/** The options of `run()` that each command of a session takes; the others belong to the session. */
const OF_A_RUN = ['timeout', 'idleTimeout', 'signal', 'input', 'drain', 'output', 'forceKillAfterDelay'];

/** The session of a toolset. It starts with the first command. `keep`: `process` or `state`. */
class ToolSession {
  #keep;
  #shell = null;
  /** How the session ended, for a dialect whose session needs a restart then; `null` otherwise. */
  ended = null;

  constructor(keep) {
    this.#keep = keep;
  }

  /** Returns whether the command can run in the session: a command with variables of its own, or of words, can't. */
  takes({ argv, isJob, pty, env = [] }) {
    return argv === undefined && !isJob && !pty && env.length === 0;
  }

  /** Runs a command in the session. `options` are those of `run()`. */
  async run(command, options, push) {
    this.#shell ??= new ShellSession({
      keep: this.#keep,
      cwd: options.cwd,
      root: options.root,
      env: options.env,
      extendEnv: options.extendEnv,
      nonInteractive: options.nonInteractive,
      limits: options.limits,
      shell: [options.shell ?? 'bash'].flat()[0],
    });
    const own = Object.fromEntries(OF_A_RUN.map((name) => [name, options[name]]));
    if (!push) return this.#shell.run(command, own);
    const job = this.#shell.start(command, own);
    job.on('data', push);
    return job.result;
  }

  /** Replaces the shell by a new one. */
  async restart() {
    this.ended = null;
    await this.#shell?.restart();
  }

  async close() {
    await this.#shell?.close();
  }
}

export { hasSessions, ToolSession };
