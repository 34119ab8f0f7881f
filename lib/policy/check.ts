import type { CheckSpec } from '../addon/addon-types.ts';
import { visible, visibleLines } from '../addon/native.ts';
import { invalid, isRecord, object } from '../options/checks.ts';
import type { CommandLine } from '../options/command/command-line.ts';
import { commandLine, lineOfText } from '../options/command/command-line.ts';
import { checkSurroundings, SURROUNDINGS } from '../options/surroundings/surroundings.ts';
import { redacted } from '../redact/redacted.ts';
import type { Decision } from './api.ts';
import type { Subject } from './authorize.ts';
import type { Rules } from './policy.ts';
import { compile } from './policy.ts';
import * as tokens from './token.ts';

/** A command for the addon's judgement, and the id of its overlay, which counts for the token alone. */
export type JudgedSpec = CheckSpec & { overlay: number | undefined };

/**
 * The options of `check()`. A sandbox counts for the variables that it lets a command inherit, and for the
 * mode `readOnly`.
 */
const OPTIONS: readonly ('policy' | Exclude<(typeof SURROUNDINGS)[number], 'limits'>)[] = [
  'policy',
  ...SURROUNDINGS.filter((name) => name !== 'limits'),
];

/** Decides whether a command may run. */
function check(command: unknown, given: unknown): Decision {
  const options = object('options', given, OPTIONS);
  const { policy, shell } = options;
  if (!isRecord(policy)) throw invalid('options.policy', 'a policy', policy);
  const rules = compile(policy);
  const line = lineOf(command, shell);
  const { error, spec } = checkSurroundings(options);
  if (error !== null) throw error;
  return decide(rules, { line, surroundings: spec });
}

/** Parses a command. `check()` accepts blank text and text with a NUL, which run nothing. */
function lineOf(command: unknown, shell: unknown): CommandLine {
  const isText = typeof command === 'string';
  const isNothing = isText && (command.trim() === '' || command.includes('\0'));
  return isNothing ? lineOfText(command) : commandLine(command, shell);
}

/** Returns the decision about a command whose options were checked. */
function decide(rules: Rules, subject: Subject): Decision {
  const isElsewhere = subject.surroundings.target !== undefined;
  if (isElsewhere && rules.mode === 'readOnly') return unhardened('a machine that it knows, not a target');
  const found: Decision = JSON.parse(rules.native.check(questionOf(subject)));
  if (isElsewhere) found.paths = 'unresolved';
  askAbout(found, rules.mode, subject.surroundings.startState?.names);
  const decision = redacted(found, subject.surroundings.redactor);
  // A rule with a mark in place of a value would match no command.
  const suggestions = decision.suggestions.filter((rule) => found.suggestions.includes(rule));
  decision.suggestions = suggestions;
  decision.suggestion = suggestions.length === 1 ? suggestions[0] : null;
  let token: string | undefined;
  return Object.defineProperty(decision, 'token', {
    enumerable: true,
    configurable: true,
    get() {
      token ??= tokenOf(rules.digest, subject);
      return token;
    },
  });
}

/**
 * Makes a decision ask about a command whose name is a word of the login shell's state: a function or an
 * alias there, of which the rules know nothing.
 */
function askAbout(
  decision: Decision,
  mode: string | undefined,
  names: ReadonlySet<string> | undefined,
): void {
  if (names === undefined || decision.verdict !== 'allow' || mode === 'bypassPermissions') return;
  const verdict = mode !== undefined && NEVER_ASK.includes(mode) ? 'deny' : 'ask';
  for (const command of decision.commands) {
    const name = [command.argv[0], ...command.wrappers].find((word) => word !== null && names.has(word));
    if (name === undefined || name === null) continue;
    const reason = `'${visible(name)}' is a function or an alias of the login shell`;
    Object.assign(command, { verdict, reason });
    Object.assign(decision, {
      verdict,
      code: verdict === 'deny' ? 'DENIED' : 'NOT_APPROVED',
      reason,
      suggestions: [],
    });
  }
}

/** The modes in which nobody is asked. */
const NEVER_ASK: readonly string[] = ['dontAsk', 'strict', 'readOnly'];

/** Returns the denial of a command in the mode `readOnly` that can't be hardened where it would run. */
function unhardened(place: string): Decision {
  return {
    verdict: 'deny',
    code: 'DENIED',
    reason: `a command that only reads needs ${place}`,
    commands: [],
    dangerous: null,
    suggestion: null,
    suggestions: [],
    token: '',
  };
}

/**
 * Returns a command in the form that the addon takes. In a session, its directory and environment are
 * unknown.
 */
function checkSpec({ line, surroundings }: Subject): JudgedSpec {
  const { command, argv, split } = line;
  const { cwd, root, environment, shell, sandbox, overlay, target } = surroundings;
  const isElsewhere = target !== undefined || undefined;
  return {
    command,
    argv,
    split,
    shell,
    cwd,
    root,
    environment,
    sandbox,
    overlay: overlay?.id,
    isElsewhere,
  };
}

/** Returns the same for a question, in which a test's double needs the given variables. */
function questionOf(subject: Subject): JudgedSpec {
  const { variables } = subject.surroundings;
  return variables === undefined ? checkSpec(subject) : Object.assign(checkSpec(subject), { variables });
}

/**
 * Returns a token of the exact bytes, the directory, the shell, the environment, the sandbox and the policy,
 * whose part comes first.
 */
function tokenOf(digest: string, subject: Subject): string {
  const { target } = subject.surroundings;
  const place = target === undefined ? [] : [target.key, target.hasEmptyEnvironment];
  // Without a key: a host may check a command in one thread or process, and run it in another one.
  return tokens.tokenOf(digest, [checkSpec(subject), ...place]);
}

/** Returns whether a decision is about exactly this command. The policy counts as it was when it decided. */
function isAbout(decision: Decision, digest: string, subject: Subject): boolean {
  if (typeof decision.token !== 'string') return false;
  return decision.token === tokenOf(digest, subject);
}

/** Returns a decision as text for people. */
function explainDecision(decision: Decision): string {
  if (!isRecord(decision) || !Array.isArray(decision.commands)) {
    throw invalid('decision', 'a decision', decision);
  }
  const lines = [`${decision.verdict}: ${decision.reason}`];
  // The words are those of the command, which may have characters that nobody sees.
  for (const { argv, wrappers, verdict, reason, redirections } of decision.commands) {
    const words = argv.map((word: string | null) => (word === null ? '…' : word === '' ? "''" : word));
    const text = [...words, ...redirections].join(' ') || '(assignments)';
    const behind = wrappers.length === 0 ? '' : ` (behind ${wrappers.join(', ')})`;
    lines.push(`  ${verdict.padEnd(5)} ${text}${behind}: ${reason}`);
  }
  if (decision.dangerous !== null) lines.push(`  dangerous: ${decision.dangerous}`);
  if (decision.suggestions.length > 0) lines.push(`  to allow it: ${decision.suggestions.join(', ')}`);
  return lines.map((line) => visible(line)).join('\n');
}

/** Returns a text with the characters that a person can't see as escape sequences. */
function visibleText(text: string): string {
  if (typeof text !== 'string') throw invalid('text', 'a string', text);
  return visibleLines(text);
}

export { check, checkSpec, decide, explainDecision, isAbout, questionOf, unhardened, visibleText };
