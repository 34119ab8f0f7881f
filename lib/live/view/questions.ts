import { addAbortListener } from '../../job/abort.ts';
import { nextQuestion, pageAnswers, questions } from '../../observe/observed-command.ts';
import type { Decision } from '../../policy/api.ts';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../support/timers.ts';
import type { Verdict } from '../../tools/api/definition.ts';
import type { ApproveAnswer, PendingCall } from '../../tools/api/options.ts';
import type { LiveDecision, LiveQuestion } from '../api.ts';
import type { Stamped } from './messages.ts';

/** The time for which a question waits for a page that may answer it (ms). */
const PAGE_WAIT_MS = 2_000;

/** The period of a timer that does nothing (ms): a day. */
const IDLE_TIMER_MS = 86_400_000;

/** The answer where no page is open that may answer. */
const NOBODY = 'no page is open that could answer';

type PageAnswer = Exclude<ApproveAnswer, string>;

/** A question that waits for an answer. */
interface Pending {
  event: Stamped<LiveQuestion>;
  /** The verdict without a page. */
  otherwise: Verdict;
  settle: (answer: PageAnswer) => void;
}

/** The questions of a `Live` to its pages. */
class Questions {
  #pending = new Map<number, Pending>();
  /** The pages that may answer. */
  #answerers = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Keeps Node.js alive while there is a question: pages don't. */
  #hold: NodeJS.Timeout | undefined;
  #onAsked: (question: Stamped<LiveQuestion>) => void;
  #known = new Map<number, Stamped<LiveQuestion>>();

  /** @param onAsked is called with a question that pages may answer */
  constructor(onAsked: (question: Stamped<LiveQuestion>) => void) {
    this.#onAsked = onAsked;
  }

  /** Notes a question that observers have got. */
  note(event: Stamped<LiveQuestion>): void {
    this.#known.set(event.question, event);
  }

  /** Forgets a question that was decided. */
  decided(question: number): void {
    this.#known.delete(question);
  }

  /** The questions that no page has answered, oldest first. */
  open(): Stamped<LiveQuestion>[] {
    return [...this.#pending.values()].map(({ event }) => event);
  }

  /**
   * Asks the pages. `report` reports a question that no observer has got, because its source was not added,
   * and then the decision.
   */
  async ask(
    first: PendingCall | Decision,
    context: { signal: AbortSignal } | undefined,
    report: (event: LiveQuestion | LiveDecision) => void,
  ): Promise<PageAnswer> {
    const question = questions.get(context ?? first) ?? questionOf(first, context);
    const isOurs = !this.#known.has(question.question);
    if (isOurs) report(question);
    const { signal } = context ?? (first as PendingCall);
    const answer = await this.#answered(question.question, context === undefined ? 'ask' : 'deny', signal);
    if (isOurs) report(decisionOf(question, answer));
    return answer;
  }

  /** Answers a question. Returns what keeps it from that, or `null`. */
  answer(
    question: unknown,
    given: { verdict: unknown; reason?: unknown; forToolset?: unknown },
  ): 'unknown' | 'invalid' | null {
    const pending = this.#pending.get(question as number);
    if (pending === undefined) return 'unknown';
    const { verdict, reason, forToolset } = given;
    if (verdict !== 'allow' && verdict !== 'deny') return 'invalid';
    if (reason !== undefined && typeof reason !== 'string') return 'invalid';
    const more = forToolset === true && verdict === 'allow' ? forAll(pending.event) : {};
    if (more === null) return 'invalid';
    const answer = { verdict, ...(reason ? { reason } : {}), ...more } as const;
    pageAnswers.add(answer);
    pending.settle(answer);
    return null;
  }

  /** Counts the pages that may answer. */
  addAnswerers(count: number): void {
    this.#answerers += count;
    this.#wait();
  }

  /** Answers all questions as without a page. */
  close(): void {
    clearTimeout(this.#timer);
    for (const pending of [...this.#pending.values()]) this.#giveUp(pending);
  }

  #answered(number: number, otherwise: Verdict, signal: AbortSignal): Promise<PageAnswer> {
    const event = this.#known.get(number);
    return new Promise((resolve) => {
      if (event === undefined) {
        resolve({ verdict: otherwise, reason: NOBODY });
        return;
      }
      const settle = (answer: PageAnswer) => {
        forgetSignal();
        this.#pending.delete(number);
        this.#wait();
        resolve(answer);
      };
      const forgetSignal = addAbortListener(signal, () =>
        settle({ verdict: 'deny', reason: 'the call was aborted' }),
      );
      this.#pending.set(number, { event, otherwise, settle });
      this.#onAsked(event);
      this.#wait();
    });
  }

  /** Waits for a page while there is none and a question. */
  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size > 0) this.#hold ??= setInterval(() => {}, IDLE_TIMER_MS);
    else {
      clearInterval(this.#hold);
      this.#hold = undefined;
    }
    if (this.#answerers > 0 || this.#pending.size === 0) return;
    this.#timer = setTimeout(() => {
      for (const pending of [...this.#pending.values()]) this.#giveUp(pending);
    }, PAGE_WAIT_MS);
  }

  #giveUp({ otherwise, settle }: Pending): void {
    settle({ verdict: otherwise, reason: NOBODY });
  }
}

/** Returns a new question by what `approve` gets: a call, or a decision about a command. */
function questionOf(first: PendingCall | Decision, context: object | undefined): LiveQuestion {
  const shared = { type: 'question', question: nextQuestion(), call: null } as const;
  if (context === undefined) {
    const { command, cwd, decision, escalation } = first as PendingCall;
    return { ...shared, command, cwd, decision, escalation };
  }
  // A copy of what `approve` has got does not tell the text of the command.
  const decision = first as Decision;
  const command = decision.commands.map(({ argv }) => argv.map((word) => word ?? '?').join(' ')).join('\n');
  return { ...shared, command, cwd: null, decision, escalation: null };
}

function decisionOf({ question, call, command }: LiveQuestion, answer: PageAnswer): LiveDecision {
  const { verdict, reason = null } = answer;
  const by = pageAnswers.has(answer) ? 'page' : 'host';
  return { type: 'decision', question, call, command, verdict, reason, by };
}

/** Returns what allows later calls too; `null` if nothing can. */
function forAll({ escalation, decision }: LiveQuestion): Partial<PageAnswer> | null {
  if (escalation !== null) return { scope: 'toolset' };
  const rules = decision?.suggestions ?? [];
  return rules.length > 0 ? { addRule: rules } : null;
}

export { Questions };
