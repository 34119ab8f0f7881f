// Policies: the rules that decide whether a command may run.

import type { Surroundings } from '../options/surroundings/api.ts';

/** Whether a command may run. */
export type Verdict = 'allow' | 'ask' | 'deny';

/**
 * The verdict on a command that no rule matches:
 *
 * - `default` and `acceptEdits` ask;
 * - `bypassPermissions` allows;
 * - `dontAsk` denies, and turns each `ask` into a denial;
 * - `strict` denies;
 * - `readOnly` ignores the rules and allows a command that only reads below `root`. The command runs in an
 *   environment that keeps git's settings from running programs. With a sandbox of the level `read-only` and
 *   its defaults for `network` and `onUnavailable`, the kernel enforces the mode, which then works as
 *   `bypassPermissions`.
 */
export type PolicyMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'dontAsk' | 'strict' | 'readOnly';

/**
 * The rules for commands that may run. The check for dangerous commands comes first, then `deny`, `ask`,
 * `allow`, and last the mode. A more specific rule has no precedence. A command line gets the strictest
 * verdict of its commands.
 *
 * Rules: `Bash` (all commands), `Bash(npm test)` (exactly these words), `Bash(git:*)` (a command of this
 * name), `Bash(git push:*)` or `Bash(git:push*)` (a subcommand), `Bash(npm run *)` (`*` stands for any
 * words), `Bash(cat src/*)` (`*` in a word stands for any text without a part `..`). Rules of other tools are
 * read and have no effect.
 */
export interface Policy {
  /** Default `'default'`. */
  mode?: PolicyMode | undefined;
  /**
   * Rules that allow: word by word, never a path to a program of the same name. `git -C dir` in the root
   * counts as `git`.
   */
  allow?: readonly string[] | undefined;
  /** Rules that ask. */
  ask?: readonly string[] | undefined;
  /**
   * Whether known queries in `root` (`ls`, `cat`, `grep`, `git log`, …, see {@link readOnly}) need no rule.
   * Git's own settings then run no program of theirs. Default `'ask'`; `'allow'` in `createTools()`. Without
   * effect in a session.
   */
  queries?: 'allow' | 'ask' | undefined;
  /**
   * Directories besides `root` that the redirections of an allow rule may write, by real path. A relative one
   * belongs to `process.cwd()`. Default none.
   */
  writable?: readonly (string | URL)[] | undefined;
  /**
   * Rules that deny: also by a path, behind wrappers, with options before the subcommand and flags in another
   * order.
   */
  deny?: readonly string[] | undefined;
  /**
   * The verdict on dangerous commands, in every mode. A command that is only possibly dangerous gets `ask`
   * where the mode asks. `false` turns the check off. Default `'deny'`.
   */
  dangerous?: 'deny' | 'ask' | false | undefined;
  /** Cases that {@link checkPolicy} runs. */
  tests?: readonly PolicyTest[] | undefined;
}

/** A case inside of a policy. */
export interface PolicyTest extends Omit<CheckOptions, 'policy'> {
  command: string | readonly string[];
  /** The verdict that it must have. */
  expect: Verdict;
}

export interface CheckOptions extends Omit<Surroundings, 'cwd' | 'root' | 'limits'> {
  policy: Policy;
  /** The directory in which the command would run, as in {@link CommandOptions}. Default: `process.cwd()`. */
  cwd?: string | URL | undefined;
  /**
   * The project: the directory below which an allow rule covers redirections that write, `cd` needs no rule,
   * and queries may read. Default: `cwd`.
   */
  root?: string | URL | undefined;
}

/** A simple command that the command line may run, wherever it stands. */
export interface JudgedCommand {
  /**
   * The command's name after quote removal; `null` if it is not known before it runs, and for assignments and
   * redirections alone.
   */
  name: string | null;
  /**
   * The words, the name first; `null` for a word that is not known. A glob is its pattern. None for code that
   * is not known.
   */
  argv: (string | null)[];
  /** The assignments before the command. */
  assignments: { name: string; value: string | null }[];
  /** The redirections of the command as text for people, such as `> file`. */
  redirections: string[];
  /** The commands behind which it was found (`sudo`, `bash`, `find`, …), the outermost first. */
  wrappers: string[];
  verdict: Verdict;
  /** The rule that decided, or `null`. */
  rule: { list: 'allow' | 'ask' | 'deny'; index: number; rule: string } | null;
  /** The reason, as a part of a sentence. May change. */
  reason: string;
  /** A rule that would allow this command, if it lacks one and one is safe to offer, or `null`. */
  suggestion: string | null;
}

export type DangerousEffect = 'removal' | 'overwrite' | 'shutdown' | 'permissions' | 'kernel' | 'download';

export interface Decision {
  verdict: Verdict;
  /**
   * The reason, as a stable name. `NOT_APPROVED`: a person must approve. `UNPARSEABLE`: the command line
   * can't be parsed without ambiguity, or agent-bash has no parser for this shell.
   */
  code: 'ALLOWED' | 'NOT_APPROVED' | 'DENIED' | 'DANGEROUS' | 'UNPARSEABLE';
  /** The reason, as a sentence for people and models. May change. */
  reason: string;
  /**
   * `'unresolved'` for a command on a target: its paths are compared as text, because the links there are not
   * known. Otherwise absent.
   */
  paths?: 'unresolved';
  /** Every simple command that may run, in order. */
  commands: JudgedCommand[];
  /** The effect that makes the command line dangerous, or `null`. */
  dangerous: DangerousEffect | null;
  /**
   * The rules that would allow the command line, as narrow as a person would write them (`Bash(npm run
   * build:*)`): one for each command that lacks a rule. Empty if one of them is not safe to offer, if the
   * command line is dangerous, if a rule decided, and for more than 8.
   */
  suggestions: string[];
  /** The only one of `suggestions`, or `null`. */
  suggestion: string | null;
  /** Binds the command's bytes, its directory, shell, environment and policy; for the option `decision`. */
  readonly token: string;
}

/**
 * The answer of an {@link Approve}; the rules of `addRule` join the policy's `allow` list, which all later
 * commands see.
 */
export type Approval =
  | 'allow'
  | 'deny'
  | {
      verdict: 'allow' | 'deny';
      reason?: string | undefined;
      addRule?: string | readonly string[] | undefined;
    };

/** Decides about a command in place of a rule. */
export type Approve = (decision: Decision, context: { signal: AbortSignal }) => Approval | Promise<Approval>;

/**
 * Decides whether a command may run, on the words that the shell will really run. Nothing is started. A
 * command line that is not fully understood is never allowed. A policy can't restrict the actions of an
 * allowed program: that is the task of a sandbox.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` for a wrong option, and for a rule that can't be read
 *
 * @example
 * const policy = { allow: ['Bash(git status)'] };
 * const { verdict, reason } = check('git status && rm -rf build', { policy });
 */
export declare function check(command: string | readonly string[], options: CheckOptions): Decision;

/**
 * Returns a decision as text for people: the reason, and a line for each command. Characters that nobody sees
 * are escaped as by {@link visibleText}, and so are line breaks in words.
 *
 * @example
 * console.log(explainDecision(check('git push', { policy: { deny: ['Bash(git push:*)'] } })));
 */
export declare function explainDecision(decision: Decision): string;

/**
 * Returns a text to show to a person, such as the command of a toolset's pending call: control characters,
 * characters that turn the reading direction or have no width, and blanks that a shell takes for letters are
 * escape sequences (`\u{202e}`). Tabs and line breaks stay. The reasons of decisions are escaped already.
 *
 * @throws TypeError with code `ERR_INVALID_ARG_VALUE` if `text` is no string
 *
 * @example
 * visibleText('rm \u202e'); // 'rm \\u{202e}'
 */
export declare function visibleText(text: string): string;

export interface PolicyReport {
  /** Whether all tests hold. */
  ok: boolean;
  count: number;
  /** The cases whose verdict differs. */
  failures: { index: number; command: string | readonly string[]; expected: Verdict; decision: Decision }[];
}

/** A policy converted from another tool's rules, and the rules that could not be converted. */
export interface ImportedPolicy {
  policy: Policy & { allow: string[]; ask: string[]; deny: string[] };
  skipped: { from: string; value: unknown; reason: string }[];
}
