import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { CallContext, ToolDefinition } from 'agent-bash/tools';
import type { Approvals } from './asking/approval.ts';
import type { AskingCall } from './asking/asking-call.ts';
import { calls, cannotAsk, Notes } from './asking/asking-call.ts';
import { OpenCall } from './asking/open-call.ts';
import { OpenRequests } from './asking/open-requests.ts';
import type { AskingRequest, Capabilities } from './asking/request.ts';
import { canAsk } from './asking/request.ts';
import { describeResult } from './describe.ts';
import type { McpSettings } from './options.ts';
import { Progress } from './progress.ts';

/**
 * The timeout of an elicitation (ms): above what a command waits for an answer (60 and 120 s), whose signal
 * fires then.
 */
const ANSWER_TIMEOUT = 180_000;

/** A `tools/call`. */
interface Call {
  tool: ToolDefinition;
  args: unknown;
  request: AskingRequest;
}

/** Handles the calls of one connection: approval, then the command, with progress notifications. */
class Calls {
  #settings: McpSettings;
  #capabilities: Capabilities;
  #approvals: Approvals;
  /** The calls of the newer era that wait for an answer of the user. */
  #open = new OpenRequests<OpenCall>((call) => call.abort());

  constructor(settings: McpSettings, capabilities: Capabilities, approvals: Approvals) {
    this.#settings = settings;
    this.#capabilities = capabilities;
    this.#approvals = approvals;
  }

  /** Handles a call. A cancelled request aborts the command. */
  async handle(call: Call): Promise<CallToolResult | InputRequiredResult> {
    const { tool, args, request } = call;
    const state = request.requestState();
    if (this.#open.has(state)) {
      const open = this.#open.take(state, call);
      if (open !== undefined) return open.resume(request);
    }
    const context = {
      signal: request.signal,
      callId: String(request.id),
      meta: { requestId: request.id },
      // The answer must come before the client's timeout.
      ...(this.#settings.yieldMs > 0 && { yieldMs: this.#settings.yieldMs }),
    };
    const approval = await this.#approvals.decide(tool, args, context, request);
    if (approval.inputRequired !== undefined) return approval.inputRequired;
    const approved = { ...context, ...approval };
    if (request.envelope === undefined) return this.#execute(call, approved);
    const surroundings = { open: this.#open, capabilities: this.#capabilities, settings: this.#settings };
    return new OpenCall(call, request, surroundings).start(approved);
  }

  /** Aborts the commands whose calls wait, at the end of the connection. */
  close(): void {
    this.#approvals.close();
    this.#open.close();
  }

  /** Executes a call of the older era, whose request stays open while the user is asked. */
  async #execute({ tool, args, request }: Call, context: CallContext): Promise<CallToolResult> {
    const progress = new Progress(request);
    const notes = new Notes();
    const call: AskingCall = {
      ask: async (form, signal) => {
        const { elicitInput } = request;
        if (elicitInput === undefined || !canAsk(request, this.#capabilities)) throw cannotAsk();
        return elicitInput({ mode: 'form', ...form }, { signal, timeout: ANSWER_TIMEOUT });
      },
      note: (line) => notes.add(line),
    };
    try {
      const execute = () => tool.execute(args, { ...context, onUpdate: progress.listener });
      return describeResult(await calls.run(call, execute), this.#settings, notes.take());
    } finally {
      progress.stop();
    }
  }
}

export { Calls };
