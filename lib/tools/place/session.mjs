// A shell that lives on between the calls of a toolset.

import * as engine from '../../index.mjs';

// By its name as text: the bundler warns of a name that there is not.
const ShellSession = Reflect.get(engine, 'ShellSession');

/** Whether this version of the package has sessions. */
const hasSessions = ShellSession !== undefined;

/** What a session takes of the options of `run()`; the rest is the session's own. */
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

  /** Whether the command can run in the session: not one with variables of its own, nor one of words. */
  takes({ argv, isJob, pty, env = [] }) {
    return argv === undefined && !isJob && !pty && env.length === 0;
  }

  /** Runs a command in the shell. `options`: those of `run()`. */
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
