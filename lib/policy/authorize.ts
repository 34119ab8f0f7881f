import { isDeepStrictEqual } from 'node:util';
import type { NativeResult, SurroundingsSpec } from '../addon/addon-types.ts';
import { addAbortListener } from '../job/abort.ts';
import { byOf } from '../observe/observed-command.ts';
import { callback, invalid, isRecord } from '../options/checks.ts';
import type { CommandLine } from '../options/command/command-line.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import { denied, stoppedBeforeItStarted } from '../result/result.ts';
import { messageOf } from '../support/message-of.ts';
import type { Approve, Decision, Policy } from './api.ts';
import { readAnswer, remember } from './approve-answer.ts';
import type { GivenAuthorization } from './authorization.ts';
import { DECIDED } from './authorization.ts';
import { checkSpec, decide, isAbout, questionOf } from './check.ts';
import type { Rules } from './policy.ts';
import { compile, hardeningRules } from './policy.ts';
import { carriedBy } from './token.ts';

/** A command as a policy judges it. */
export interface Subject {
  line: CommandLine;
  surroundings: SubjectSurroundings;
}

/** The surroundings that count for a policy. In a session, directory and environment are not known. */
export type SubjectSurroundings = Partial<SurroundingsPlan>;

/** A decision that a caller has taken, with an answer where the verdict was `ask`. */
export interface Decided {
  rules: Rules;
  decision: Decision;
  /** The command of the decision; `undefined` where it is not known before its start. */
  subject: Subject | undefined;
}

/** The checked options `policy`, `approve` and `decision`. */
export interface Authorization {
  policy: Policy | undefined;
  /** The rules of the policy; `null` with a decision alone. */
  rules: Rules | null;
  approve: Approve | undefined;
  given: Decision | undefined;
  decided?: Decided | undefined;
}

/** The result of an authorization. */
export interface Authorized {
  decision: Decision;
  /** The native result of a command that may not run; `null` if it may. */
  refusal: NativeResult | null;
  /**
   * Whether somebody has approved the command as it stands; without it, the rules have allowed the command.
   */
  isApproved?: boolean;
  /** The one who has answered, where `approve` was asked. */
  by?: 'host' | 'page';
}

/** A function that is called right before `approve`, with the object that it gets. */
export type OnAsk = (decision: Decision, asked: object) => void;

/** The part of a command for the addon that {@link harden} changes. */
export interface HardenedSpec {
  command?: string | undefined;
  argv?: string[] | undefined;
  surroundings?: SurroundingsSpec | undefined;
}

/** Checks the options `policy`, `approve` and `decision`. Returns `null` without a policy and a decision. */
function checkAuthorization({
  policy,
  approve,
  decision,
  [DECIDED]: decided,
}: GivenAuthorization): Authorization | null {
  if (decided !== undefined) {
    return { policy: undefined, rules: decided.rules, approve: undefined, given: undefined, decided };
  }
  callback('options.approve', approve);
  if (decision !== undefined && !(isRecord(decision) && typeof decision.token === 'string')) {
    throw invalid('options.decision', 'a decision of check()', decision);
  }
  if (policy === undefined && decision === undefined) {
    if (approve !== undefined) throw invalid('options.policy', 'a policy next to approve', policy);
    return null;
  }
  return {
    policy: policy as Policy | undefined,
    rules: policy === undefined ? null : compile(policy),
    approve: approve as Approve | undefined,
    given: decision as Decision | undefined,
  };
}

/**
 * Decides about a command whose options were checked. Returns `{ decision, refusal, isApproved }`, or a
 * promise of it if `approve` is called.
 *
 * `refusal` is the native result of a command that may not run; `null` if it may. `isApproved` tells that
 * somebody has approved the command as it stands; without it, the rules have allowed the command.
 */
function authorize(
  { policy, rules, approve, given, decided }: Authorization,
  subject: Subject,
  signal: AbortSignal | undefined,
  onAsk?: OnAsk,
): Authorized | Promise<Authorized> {
  if (decided !== undefined) return again(decided, subject);
  if (given !== undefined) return byDecision(given, rules, subject);
  // Without a decision there is a policy.
  const decision = decide(rules as Rules, subject);
  if (decision.verdict === 'allow') return { decision, refusal: null, isApproved: false };
  if (decision.verdict === 'deny' || approve === undefined)
    return refuse(decision, decision.code, decision.reason);
  return ask(approve, decision, policy, signal, onAsk);
}

/**
 * Authorizes a command whose caller has decided about it, and has an answer where the verdict was `ask`. The
 * policy decides again about a command that would start elsewhere, or with other rights, than the one before.
 */
function again({ rules, decision: before, subject: decidedAbout }: Decided, subject: Subject): Authorized {
  const isSame =
    decidedAbout !== undefined &&
    decidedAbout.surroundings.target === subject.surroundings.target &&
    isDeepStrictEqual(checkSpec(decidedAbout), checkSpec(subject));
  const decision = isSame ? before : decide(rules, subject);
  if (decision.verdict === 'deny') return refuse(decision, decision.code, decision.reason);
  return { decision, refusal: null, isApproved: decision.verdict !== 'allow' };
}

/** Authorizes a command by an earlier decision, which must be about exactly this command. */
function byDecision(decision: Decision, rules: Rules | null, subject: Subject): Authorized {
  const digest = rules?.digest ?? carriedBy(decision.token);
  if (!isAbout(decision, digest, subject)) {
    const message =
      'the decision is about another command, directory, shell, environment, sandbox or policy; ' +
      'check the command again';
    return refuse(decision, 'DENIED', message);
  }
  if (decision.verdict === 'deny') return refuse(decision, decision.code, decision.reason);
  // A caller that passes a decision with the verdict `ask` has approved the command.
  return { decision, refusal: null, isApproved: decision.verdict !== 'allow' };
}

function refuse(decision: Decision, code: string, message: string): Authorized {
  return { decision, refusal: denied(code, message, decision) };
}

/** Calls `approve`, and settles at once when the signal fires. */
function ask(
  approve: Approve,
  decision: Decision,
  policy: Policy | undefined,
  signal: AbortSignal | undefined,
  onAsk: OnAsk | undefined,
): Promise<Authorized> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const settle = (result: Authorized) => {
      forgetSignal?.();
      resolve(result);
    };
    const abort = () => {
      controller.abort();
      const refusal = { ...stoppedBeforeItStarted(false), decision };
      settle({ decision, refusal });
    };
    if (signal?.aborted) return abort();
    const forgetSignal = signal && addAbortListener(signal, abort);
    answerOf(approve, decision, policy, controller.signal, onAsk).then(settle);
  });
}

async function answerOf(
  approve: Approve,
  decision: Decision,
  policy: Policy | undefined,
  signal: AbortSignal,
  onAsk: OnAsk | undefined,
): Promise<Authorized> {
  const code = decision.code === 'ALLOWED' ? 'NOT_APPROVED' : decision.code;
  try {
    const asked = { signal };
    onAsk?.(decision, asked);
    const answer = await approve(decision, asked);
    const by = byOf(answer);
    const { verdict, reason, ...more } = readAnswer(answer, ['allow', 'deny']);
    if (verdict === 'deny') {
      return { ...refuse(decision, code, String(reason ?? `It was not approved: ${decision.reason}`)), by };
    }
    remember(policy, more);
    return { decision, refusal: null, isApproved: true, by };
  } catch (error) {
    const message = `It was not approved: ${messageOf(error, 'its error cannot be read')}`;
    return { ...refuse(decision, code, message), by: 'host' };
  }
}

/**
 * Hardens queries that were allowed without a rule, so that they can't run other programs. `given` are the
 * rules; `null` for a command with a decision alone. Returns the native result of a command that may not run,
 * or `null`.
 *
 * An approved command that can't be hardened runs as it was shown: the policy can't read a command with an
 * open quote, for example, of which the shell then reports the error.
 */
function harden(
  given: Rules | null,
  { decision, isApproved }: Authorized,
  subject: Subject,
  spec: HardenedSpec,
): NativeResult | null {
  const rules = given ?? hardeningRules(decision.token);
  if (rules?.mode !== 'readOnly' && rules?.spec.allowsQueries !== true) return null;
  // No query is allowed without a rule there.
  if (subject.surroundings.target !== undefined) return null;
  const hardened = rules.native.harden(questionOf(subject));
  if (hardened === null) return isApproved ? null : denied('DENIED', UNHARDENED, decision);
  const { command, argv, environment } = hardened;
  if (spec.surroundings !== undefined) spec.surroundings.environment = environment;
  if (argv === undefined || argv === null) spec.command = command;
  else spec.argv = argv;
  return null;
}

const UNHARDENED =
  'the command is allowed to read only, but the settings of git that run programs cannot be turned off for it';

export { authorize, checkAuthorization, harden };
