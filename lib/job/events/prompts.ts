// The prompts of a command, which a person answers.

import type { AsyncResource } from 'node:async_hooks';
import type { JobEvent, PromptState } from '../../addon/addon-types.ts';
import { captureContext } from '../../addon/async-context.ts';
import { theBinding } from '../../addon/binding.ts';
import type { OnPrompt } from '../../options/surroundings/prompt-api.ts';
import type { SurroundingsPlan } from '../../options/surroundings/surroundings.ts';
import { redactedText } from '../../redact/redacted.ts';
import type { Redactor } from '../../redact/redaction.ts';
import { messageOf } from '../../support/message-of.ts';

/** An event that is about a prompt. */
export type PromptEvent = Extract<JobEvent, { kind: 'prompt' | 'promptover' }>;

/** Asks the host's function, and passes its answers to the addon. */
class JobPrompts {
  #onPrompt: OnPrompt;
  #command: string;
  #redactor: Redactor | undefined;
  #context: AsyncResource;
  /** The open prompts by their numbers. */
  #open = new Map<number, AbortController>();

  /** @param command the command, in which secret values are marks */
  constructor(onPrompt: OnPrompt, command: string, redactor: Redactor | undefined) {
    this.#onPrompt = onPrompt;
    this.#command = command;
    this.#redactor = redactor;
    this.#context = captureContext();
  }

  /** Asks about a new prompt of the job of this number, or closes one that needs no answer any more. */
  handleEvent(event: PromptEvent, job: number): void {
    if (event.kind === 'prompt') void this.#ask(event.prompt, job);
    else this.#close(event.over);
  }

  /** Closes all prompts, at the end of the job. */
  finish(): void {
    for (const number of [...this.#open.keys()]) this.#close(number);
  }

  async #ask({ number, kind, text, program, verified }: PromptState, job: number): Promise<void> {
    const controller = new AbortController();
    this.#open.set(number, controller);
    const asked = {
      kind,
      text: redactedText(text, this.#redactor),
      program: redactedText(program, this.#redactor),
      verified,
      command: this.#command,
      signal: controller.signal,
    };
    let answer: string | null = null;
    try {
      const given: unknown = await this.#context.runInAsyncScope(this.#onPrompt, undefined, asked);
      // No message has the answer, whatever it is.
      if (given !== null && typeof given !== 'string') {
        throw new TypeError(`expected a string or null, got ${typeof given}`);
      }
      answer = given;
    } catch (error) {
      if (!controller.signal.aborted) warn(messageOf(error));
    }
    if (!this.#open.delete(number)) return;
    if (!theBinding().answerPrompt(job, number, answer)) {
      warn('expected an answer of one line and at most 1024 bytes');
    }
  }

  #close(number: number): void {
    const controller = this.#open.get(number);
    this.#open.delete(number);
    controller?.abort();
  }
}

/** Returns the prompts of a command in these surroundings; `undefined` if nobody answers them. */
function promptsOf(
  command: string,
  { onPrompt, redactor }: Pick<SurroundingsPlan, 'onPrompt' | 'redactor'>,
): JobPrompts | undefined {
  return onPrompt && new JobPrompts(onPrompt, command, redactor);
}

function warn(reason: string): void {
  process.emitWarning(`The function 'onPrompt' has declined a prompt: ${reason}`, { code: 'PROMPT_FAILED' });
}

export { JobPrompts, promptsOf };
