import type { LiveQuestion } from '../api.ts';
import type { MessageFromPage } from '../view/messages.ts';
import { button, element, visible } from './elements.ts';

/**
 * The time for which the buttons of a new question do nothing (ms): a click may have been meant for what was
 * there.
 */
const ANSWER_DELAY_MS = 500;

/** The questions to the person, each with its whole command. */
class QuestionBar {
  readonly element: HTMLElement = element('section', {
    class: 'questions',
    'aria-label': 'Questions',
    'aria-live': 'polite',
  });
  #send: (message: MessageFromPage) => void;
  #shown = new Map<number, HTMLElement>();

  constructor(send: (message: MessageFromPage) => void) {
    this.#send = send;
  }

  update(questions: Iterable<LiveQuestion>, mayAnswer: boolean): void {
    const open = [...questions];
    for (const [number, card] of this.#shown) {
      if (open.some(({ question }) => question === number)) continue;
      card.remove();
      this.#shown.delete(number);
    }
    for (const question of open) {
      if (this.#shown.has(question.question)) continue;
      const card = this.#card(question, mayAnswer);
      this.#shown.set(question.question, card);
      this.element.append(card);
    }
    this.element.hidden = open.length === 0;
  }

  /** Gives the keyboard to the first question. */
  focus(): boolean {
    const [first] = this.#shown.values();
    first?.focus();
    return first !== undefined;
  }

  #card(question: LiveQuestion, mayAnswer: boolean): HTMLElement {
    const { command, cwd, decision, escalation } = question;
    const lines = visible(command);
    const card = element(
      'article',
      { class: 'question', tabindex: -1, 'aria-label': 'May this command run?' },
      element('h2', {}, 'May this run?'),
      element('pre', { class: 'whole', tabindex: 0, 'aria-label': 'The whole command' }, lines),
    );
    const facts = [
      cwd === null ? null : `in ${visible(cwd)}`,
      decision === null ? null : visible(decision.reason),
      escalation === null ? null : visible(escalation.text),
    ];
    for (const fact of facts) if (fact !== null) card.append(element('p', { class: 'why' }, fact));
    card.append(
      mayAnswer ? this.#answers(question) : element('p', { class: 'why' }, 'This page can only look.'),
    );
    return card;
  }

  #answers(question: LiveQuestion): HTMLElement {
    const answer = (given: { verdict: 'allow' | 'deny'; reason?: string; forToolset?: boolean }) =>
      this.#send({ type: 'answer', question: question.question, ...given });
    const reason = element('input', {
      type: 'text',
      placeholder: 'Why not? (the model reads it)',
      'aria-label': 'Reason',
    });
    const deny = button(
      'Deny',
      () => answer({ verdict: 'deny', ...(reason.value && { reason: reason.value }) }),
      {
        class: 'danger',
      },
    );
    const denial = element('form', { class: 'denial', hidden: true }, reason, deny);
    denial.addEventListener('submit', (event) => {
      event.preventDefault();
      deny.click();
    });
    const more = button(
      'Deny…',
      () => {
        denial.hidden = !denial.hidden;
        more.setAttribute('aria-expanded', String(!denial.hidden));
        reason.focus();
      },
      { 'aria-expanded': 'false' },
    );
    const allow = button('Allow once', () => answer({ verdict: 'allow' }), { class: 'primary' });
    const rules = rulesOf(question);
    const forAll =
      rules === null
        ? null
        : button(`Allow for toolset: ${rules}`, () => answer({ verdict: 'allow', forToolset: true }));
    const buttons = element('div', { class: 'answers' }, allow, forAll, more);
    for (const each of [allow, forAll, more]) if (each !== null) each.disabled = true;
    setTimeout(() => {
      for (const each of [allow, forAll, more]) if (each !== null) each.disabled = false;
    }, ANSWER_DELAY_MS);
    return element('div', {}, buttons, denial);
  }
}

/** Returns what an answer for the toolset would allow; `null` if there is no such answer. */
function rulesOf({ decision, escalation }: LiveQuestion): string | null {
  if (escalation !== null) return 'these rights';
  const rules = decision?.suggestions ?? [];
  return rules.length === 0 ? null : visible(rules.join(', '));
}

export { QuestionBar };
