// The options of each dialect.

import type { ToolsOptions } from './options.ts';

export interface DialectOptions {
  bash: ToolsOptions;
  voice: ToolsOptions & {
    /** Whether only programs of the allow list may run, without a shell. Default false. */
    safeMode?: boolean | undefined;
  };
  rye: ToolsOptions;
  agentrail: ToolsOptions & {
    /**
     * Permission modes and rules, as AgentRail has them: another form of `policy`. Not together with
     * `policy`. Default: no rules; only the check for dangerous commands.
     */
    permissions?: AgentRailPermissions | undefined;
  };
  execute_bash_command: ToolsOptions;
  'oh-my-pi': ToolsOptions & OhMyPiOptions;
  'anthropic-bash': ToolsOptions & {
    /**
     * The results that are errors: any end but exit code 0 (default), or only commands that did not exit by
     * themselves.
     */
    errorOn?: 'nonzero' | 'failure' | undefined;
    /**
     * Whether the schema has `timeout_ms` too: not for the tool that is declared to the API as built in.
     * Default false.
     */
    timeoutArgument?: boolean | undefined;
  };
  'claude-code': ToolsOptions & {
    /**
     * The tools: `Bash`, `BashOutput`, `KillShell` (`classic`, default), or `Bash`, `TaskOutput`, `TaskStop`
     * (`current`).
     */
    form?: 'classic' | 'current' | undefined;
    /** Whether lines that a `filter` leaves out can't be read any more, as in the original. Default true. */
    filterConsumes?: boolean | undefined;
    /** Whether there is a fourth tool, `BashList`. Default false. */
    listTool?: boolean | undefined;
    /**
     * Whether exit code 1 of `grep`, `rg`, `diff`, `cmp`, `test` and `find` is explained and is no error.
     * Default false.
     */
    interpretExitCodes?: boolean | undefined;
    /**
     * Directories besides `root` (or else `cwd`) in which a `cd` stays from call to call. Default: none; then
     * `cd` is bound by `root` alone. On a target, paths there, or below the workspace of a container here.
     */
    additionalDirectories?: readonly string[] | undefined;
    /**
     * The longest `sleep` with which a foreground command may begin (ms); a longer one is refused, with
     * advice. The original refuses 2 to 25 s, depending on its version. Default 0: no limit.
     */
    maxSleepMs?: number | undefined;
  };
  'openai-shell': ToolsOptions & {
    /** The number of commands of a call that run at the same time. Default 4. */
    concurrency?: number | undefined;
  };
  'openai-local-shell': ToolsOptions;
  'codex-shell': ToolsOptions & {
    /** The form of the text: free (default), or one line of JSON. */
    form?: 'text' | 'json' | undefined;
    /** The main tool: `shell` (words; default) or `shell_command` (text). Both are in the toolset. */
    main?: 'shell' | 'shell_command' | undefined;
  };
  'codex-exec': ToolsOptions & {
    /** Whether there is a third tool, `list_sessions`. Default false. */
    listTool?: boolean | undefined;
  };
  gemini: ToolsOptions & {
    /** The lines of the text: of now (default), of the versions between, or of the first version. */
    form?: 'current' | 'middle' | 'seed' | undefined;
    /** Whether the text stands between `<untrusted_context>` tags. Default true with the current form. */
    wrap?: boolean | undefined;
    /** Whether `$( )`, backticks, `<( )` and `>( )` are refused, as in the original. Default false. */
    refuseSubstitution?: boolean | undefined;
  };
}

/** The modes and rules of AgentRail's permissions. */
export interface AgentRailPermissions {
  /** The verdict on commands without a rule. Default `default`. */
  mode?: 'default' | 'acceptEdits' | 'bypassPermissions' | 'dontAsk' | 'strict' | undefined;
  /** Rules such as `Bash`, `Bash(git:*)`, `Bash(npm test)`. */
  allow?: readonly string[] | undefined;
  ask?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
}

export interface OhMyPiOptions {
  /** Whether the schema has `async`, and calls with it start jobs. Default false. */
  async?: boolean | undefined;
  /** Whether a command goes on as a job after `thresholdMs` (ms, default 60,000). Default false. */
  autoBackground?: boolean | { thresholdMs?: number | undefined } | undefined;
  /**
   * Whether `pty: true` of a call gives the command a terminal (120 columns, 40 rows) or is ignored. Default
   * false.
   */
  hasUI?: boolean | undefined;
  /**
   * Returns the path for an internal URL such as `skill://name/file`. URLs with a scheme of
   * {@link OhMyPiOptions.urlSchemes} are expanded in `command`, `env` and `cwd`. If it throws, the call has
   * an error result, and so has a call with such a URL where there is no function.
   */
  resolveUrl?: ((url: string, context: { ensureParent: boolean }) => string | Promise<string>) | undefined;
  /**
   * Saves the file with the whole output of a command as an artifact, and returns its id. Called for each
   * view that is not whole (`output.view` or `output.minimize`), whose last line is
   * `[raw output: artifact://ID]` then. The file may be removed later. If it throws or returns no id of 1 to
   * 200 characters without blanks, no line is left out by `minimize`.
   */
  saveArtifact?: ((path: string) => string | Promise<string>) | undefined;
  /**
   * The schemes of internal URLs. Default `skill`, `agent`, `artifact`, `memory`, `rule`, `local`, `plan`.
   */
  urlSchemes?: readonly string[] | undefined;
  /**
   * The schemes for whose paths the parent directories are created (mode 0700) before the command starts, if
   * it may run. Not with a target, and not below the root of an overlay. Default `['local']`.
   */
  parentSchemes?: readonly string[] | undefined;
}
