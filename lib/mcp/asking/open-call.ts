import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { inputRequired } from '@modelcontextprotocol/server';
import type { CallContext, ToolDefinition, ToolResult, ToolUpdate } from 'agent-bash/tools';
import { describeResult } from '../describe.ts';
import type { McpSettings } from '../options.ts';
import { Progress } from '../progress.ts';
import type { AskingCall } from './asking-call.ts';
import { calls, cannotAsk, Notes } from './asking-call.ts';
import type { OpenRequest, OpenRequests } from './open-requests.ts';
import type { AskingRequest, Capabilities, Form, FormAnswer } from './request.ts';
import { canAsk } from './request.ts';

/** A question that the user has not answered. */
interface OpenQuestion {
  form: Form;
  /** Whether the response to a request has brought the question to the client. */
  isSent: boolean;
  answer: (answer: FormAnswer) => void;
}

/** The type of a form in the SDK, whose fields are unions. */
type ElicitForm = Parameters<typeof inputRequired.elicit>[0];

/** The connection of a call. */
export interface CallSurroundings {
  /** The calls that wait for answers of the user. */
  open: OpenRequests<OpenCall>;
  capabilities: Capabilities;
  settings: McpSettings;
}

/**
 * A call of the newer era, whose questions end its request: the answer is `inputRequired`, the command waits,
 * and the client repeats the request with the answers.
 *
 * Questions that come while no request is there are asked by the next one. After the result there is none, so
 * nobody is asked about a command that goes on as a job.
 */
class OpenCall implements AskingCall, OpenRequest {
  readonly tool: ToolDefinition;
  readonly args: unknown;
  #surroundings: CallSurroundings;
  #controller = new AbortController();
  /** The latest request of the call. */
  #request: AskingRequest;
  #result: Promise<ToolResult> | undefined;
  #progress: Progress | undefined;
  #questions = new Map<string, OpenQuestion>();
  #lastQuestion = 0;
  /** Called when a question comes. */
  #onQuestion: () => void = () => {};
  #notes = new Notes();
  #isOver = false;

  constructor({ tool, args }: OpenRequest, request: AskingRequest, surroundings: CallSurroundings) {
    this.tool = tool;
    this.args = args;
    this.#request = request;
    this.#surroundings = surroundings;
  }

  /** Executes the call. */
  start(context: CallContext): Promise<CallToolResult | InputRequiredResult> {
    const onUpdate = (update: ToolUpdate) => this.#progress?.listener?.(update);
    const hasProgress = this.#request._meta?.progressToken !== undefined;
    const own = { ...context, signal: this.#controller.signal, ...(hasProgress && { onUpdate }) };
    this.#result = calls.run(this, () => this.tool.execute(this.args, own));
    // The request that waits for it reports an error.
    this.#result.catch(() => {});
    return this.#next();
  }

  /** Takes the answers that a repeated request has, and goes on. */
  resume(request: AskingRequest): Promise<CallToolResult | InputRequiredResult> {
    this.#request = request;
    for (const [key, { answer, isSent }] of this.#questions) {
      if (!isSent) continue;
      this.#questions.delete(key);
      answer((request.inputResponses?.[key] ?? { action: 'cancel' }) as FormAnswer);
    }
    return this.#next();
  }

  /** Aborts the command, whose result nobody will get. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  ask(form: Form, signal: AbortSignal): Promise<FormAnswer> {
    if (!canAsk(this.#request, this.#surroundings.capabilities)) return Promise.reject(cannotAsk());
    if (this.#isOver) return Promise.reject(new Error('the call of the command has been answered'));
    return new Promise((answer, reject) => {
      const key = `question-${++this.#lastQuestion}`;
      this.#questions.set(key, { form, isSent: false, answer });
      const end = () => this.#questions.delete(key) && reject(signal.reason);
      signal.addEventListener('abort', end, { once: true });
      this.#onQuestion();
    });
  }

  note(line: string): boolean {
    return this.#notes.add(line);
  }

  /** Waits for a question or for the result, and answers the latest request by it. */
  async #next(): Promise<CallToolResult | InputRequiredResult> {
    const { signal } = this.#request;
    const progress = new Progress(this.#request);
    this.#progress = progress;
    const abort = () => this.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      let result: ToolResult | undefined;
      while (this.#questions.size === 0 && result === undefined) {
        const asked = new Promise<undefined>((resolve) => {
          this.#onQuestion = () => resolve(undefined);
        });
        result = await Promise.race([this.#result, asked]);
      }
      return result === undefined || this.#questions.size > 0 ? this.#inputRequired() : this.#answer(result);
    } finally {
      progress.stop();
      signal.removeEventListener('abort', abort);
    }
  }

  #inputRequired(): InputRequiredResult {
    const inputRequests = Object.fromEntries(
      [...this.#questions].map(([key, question]) => {
        question.isSent = true;
        return [key, inputRequired.elicit(question.form as ElicitForm)];
      }),
    );
    return inputRequired({ inputRequests, requestState: this.#surroundings.open.add(this) });
  }

  #answer(result: ToolResult): CallToolResult {
    this.#isOver = true;
    return describeResult(result, this.#surroundings.settings, this.#notes.take());
  }
}

export { OpenCall };
