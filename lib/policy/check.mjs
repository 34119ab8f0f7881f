import { absolutePath } from '../options/absolute-path.mjs';
import { invalid, isRecord, object, path } from '../options/checks.mjs';
import { commandLine } from '../options/command-line.mjs';
import { commandEnvironment } from '../options/environment.mjs';
import { digestOf } from './digest.mjs';
import { compile } from './policy.mjs';
import { policyShell, syntaxOf } from './shell.mjs';

const OPTIONS = ['policy', 'cwd', 'root', 'env', 'extendEnv', 'nonInteractive', 'shell'];

/** Decides whether a command may run. */
function check(command, options) {
  object('options', options, OPTIONS);
  const { policy, cwd, root, env, extendEnv, nonInteractive, shell } = options;
  if (!isRecord(policy)) throw invalid('options.policy', 'a policy', policy);
  const rules = compile(policy);
  const line = lineOf(command, shell);
  const top = root === undefined ? undefined : absolutePath(path('options.root', root));
  const directory = absolutePath(path('options.cwd', cwd) ?? '', top);
  const environment = commandEnvironment(env, extendEnv, nonInteractive);
  return decide(rules, { line, cwd: directory, root: top, environment });
}

/** Parses a command. `check()` accepts blank text and text with a NUL, which run nothing. */
function lineOf(command, shell) {
  if (typeof command === 'string' && (command.trim() === '' || command.includes('\0'))) {
    return { text: command, command, argv: undefined, split: false, shell: undefined };
  }
  return commandLine(command, shell);
}

/** Returns the decision about a command whose options were checked. */
function decide(rules, subject) {
  const { line, cwd, root, environment } = subject;
  const decision = JSON.parse(rules.native.check(checkSpec(subject)));
  const { suggestions } = decision;
  decision.suggestion = suggestions.length === 1 ? suggestions[0] : null;
  let token;
  return Object.defineProperty(decision, 'token', {
    enumerable: true,
    configurable: true,
    get() {
      token ??= tokenOf(rules.digest, { line, cwd, root, environment });
      return token;
    },
  });
}

/** Returns a command in the form that the addon takes. */
function checkSpec({ line, cwd, root, environment }) {
  const { command, argv } = line;
  const syntax = line.split ? 'unknown' : syntaxOf(line.shell);
  return { command, argv, syntax, cwd, root, environment };
}

/**
 * Returns a token of the exact bytes, the directory, the shell, the environment and the policy, whose part
 * comes first.
 */
function tokenOf(digest, { line, cwd, root, environment }) {
  const { command, argv, split, shell } = line;
  const what = JSON.stringify([digest, command, argv, split, policyShell(shell), cwd, root, environment]);
  return `${digest}.${digestOf(what)}`;
}

/** Returns whether a decision is about exactly this command. The policy counts as it was when it decided. */
function isAbout(decision, digest, subject) {
  if (typeof decision.token !== 'string') return false;
  return decision.token === tokenOf(digest, subject);
}

/** Returns a decision as text for people. */
function explainDecision(decision) {
  if (!isRecord(decision) || !Array.isArray(decision.commands)) {
    throw invalid('decision', 'a decision', decision);
  }
  const lines = [`${decision.verdict}: ${decision.reason}`];
  for (const { argv, wrappers, verdict, reason, redirections } of decision.commands) {
    const words = argv.map((word) => (word === null ? '…' : word === '' ? "''" : word));
    const text = [...words, ...redirections].join(' ') || '(assignments)';
    const behind = wrappers.length === 0 ? '' : ` (behind ${wrappers.join(', ')})`;
    lines.push(`  ${verdict.padEnd(5)} ${text}${behind}: ${reason}`);
  }
  if (decision.dangerous !== null) lines.push(`  dangerous: ${decision.dangerous}`);
  if (decision.suggestions.length > 0) lines.push(`  to allow it: ${decision.suggestions.join(', ')}`);
  return lines.join('\n');
}

export { check, checkSpec, decide, explainDecision, isAbout };
