// Judges the commands of a call by the policy of a toolset, before any of them runs.

import { joinWords } from '../../addon/native.ts';
import type { CommandLine } from '../../options/command/command-line.ts';
import { commandLine, lineOfText } from '../../options/command/command-line.ts';
import type { SurroundingsPlan } from '../../options/surroundings/surroundings.ts';
import { checkSurroundings } from '../../options/surroundings/surroundings.ts';
import type { Decision, Policy } from '../../policy/api.ts';
import { DECIDED } from '../../policy/authorization.ts';
import type { Decided, Subject, SubjectSurroundings } from '../../policy/authorize.ts';
import { decide, unhardened } from '../../policy/check.ts';
import type { Rules } from '../../policy/policy.ts';
import { compile } from '../../policy/policy.ts';
import type { CommandAction, JudgedAction, RunAction, WriteAction } from '../actions.ts';
import { prepared } from '../options/command-run-options.ts';
import { runsInClient } from '../options/terminals.ts';
import type { ToolsetState } from '../toolset-state.ts';

/** A command to judge. */
interface JudgedSubject extends Subject {
  /** Whether its shell is that of a session, or the client's, whose variables and functions are unknown. */
  isInSession?: boolean;
}

/** The policy that denies nothing but dangerous commands. */
const DANGEROUS_ONLY: Policy = Object.freeze({ mode: 'bypassPermissions' });

/** The verdicts, from the most lenient to the strictest. */
const STRICTNESS: readonly Decision['verdict'][] = ['allow', 'ask', 'deny'];

/**
 * Returns the strictest decision about the commands of an action, or `null` without a policy. Each command
 * keeps the decision about it, with which it starts.
 *
 * A session's shell has variables, functions and a directory that are unknown here, and so has a program that
 * reads input. So a rule that depends on them asks.
 */
function judge(action: CommandAction, state: ToolsetState): Decision | null {
  const policy = policyOf(state);
  if (policy === undefined) return state.refusesDanger ? danger(action, state) : null;
  const rules = compile(policy, state.policyName);
  let strictest: Decision | null = null;
  for (const [spec, subject] of subjectsOf(action, state)) {
    const decision = isUnhardened(rules, subject)
      ? unhardened(
          `a shell of its own, not a ${state.terminals === undefined ? 'session' : 'terminal of the client'}`,
        )
      : decide(rules, subject);
    spec.decided = { rules, decision, subject };
    if (strictest === null || strictness(decision) > strictness(strictest)) strictest = decision;
  }
  return strictest;
}

/**
 * Returns the options with which a command starts that may run. Without a decision about it, a verdict `ask`
 * denies it.
 */
function authorization(
  { decided }: JudgedAction,
  state: ToolsetState,
): { policy?: Policy | undefined; [DECIDED]?: Decided | undefined } {
  return state.policy === undefined ? {} : { policy: policyOf(state), [DECIDED]: decided };
}

/**
 * Returns the policy of a toolset, if it has one, in which known queries need no rule unless it says
 * otherwise.
 */
function policyOf({ policy, policyName }: ToolsetState): Policy | undefined {
  const isOwn = policyName === 'options.policy';
  return isOwn && policy !== undefined && policy.queries === undefined
    ? { ...policy, queries: 'allow' }
    : policy;
}

/** Returns the decision about a dangerous command; `null` for any other command. Used without a policy. */
function danger(action: CommandAction, state: ToolsetState): Decision | null {
  const rules = compile(DANGEROUS_ONLY);
  const decisions = subjectsOf(action, state).map(([, subject]) => decide(rules, subject));
  return decisions.find(({ code }) => code === 'DANGEROUS') ?? null;
}

function strictness({ verdict }: Decision): number {
  return STRICTNESS.indexOf(verdict);
}

/**
 * Returns whether a command that only reads could run others here: the functions and variables of a session's
 * shell can make queries run programs. A read-only sandbox confines these too.
 */
function isUnhardened(rules: Rules, { isInSession, surroundings }: JudgedSubject): boolean {
  return (
    isInSession === true && rules.mode === 'readOnly' && !rules.native.isEnforcedBy(surroundings.sandbox)
  );
}

/** Returns the commands of an action, each with the line to judge, its directory and its environment. */
function subjectsOf(action: CommandAction, state: ToolsetState): [JudgedAction, JudgedSubject][] {
  if (action.do === 'write') return writtenTo(action, state).map((subject) => [action, subject]);
  return specsOf(action).map((spec) => [spec, subjectOf(spec, state)]);
}

function specsOf(action: Exclude<CommandAction, WriteAction>): RunAction[] {
  if (action.do === 'batch') return action.runs;
  if (action.do === 'run') return [action];
  return action.then === null ? [] : [action.then];
}

/**
 * Makes the policy decide again when the commands of an action start: while somebody was asked, files and
 * directories may have changed.
 */
function decideAgain(action: CommandAction): void {
  const judged: (RunAction | WriteAction)[] = action.do === 'write' ? [action] : specsOf(action);
  for (const spec of judged) {
    if (spec.decided) spec.decided.subject = undefined;
    if ('prepared' in spec) spec.prepared = undefined;
  }
}

function subjectOf(spec: RunAction, state: ToolsetState): JudgedSubject {
  const { options, place } = prepared(spec, state);
  // Whether the session is idle may change until the command runs.
  const isInSession = state.session?.mayTake(spec) === true || runsInClient(spec, state.terminals);
  return {
    line: lineOf(spec.argv ?? spec.command, options.shell),
    surroundings: isInSession ? inSession(place.spec) : place.spec,
    isInSession,
  };
}

/** Returns the surroundings that are known of a command in a session. */
function inSession({ root, shell, sandbox, startState, redactor }: SurroundingsPlan): SubjectSurroundings {
  return { root, shell, sandbox, startState, redactor };
}

/**
 * Returns the text for a job's input as commands to judge, since the job may be a shell. Keys such as Ctrl-C
 * run nothing.
 */
function writtenTo({ text = '' }: WriteAction, { surroundings }: ToolsetState): JudgedSubject[] {
  if (/^[\x00-\x20\x7f]*$/.test(text)) return [];
  const { root, sandbox, target, startState, redactor } = checkSurroundings(surroundings).spec;
  return [{ line: lineOf(text), surroundings: { root, sandbox, target, startState, redactor } }];
}

/**
 * Converts a command for the policy. A command that {@link commandLine} refuses starts nothing, and is judged
 * as text.
 */
function lineOf(command: string | string[] | undefined, shell?: unknown): CommandLine {
  try {
    return commandLine(command, shell);
  } catch {
    return lineOfText(Array.isArray(command) ? joinWords(command) : (command ?? ''));
  }
}

export { authorization, decideAgain, judge };
