import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ClientCapabilities, InputRequiredResult } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, inputRequired } from '@modelcontextprotocol/server';
import { visibleText } from 'agent-bash';
import type { Approval, CallContext, ToolDefinition } from 'agent-bash/tools';
import type { ApprovalFields } from '../adapters/support/approvals.ts';
import { approvalFields } from '../adapters/support/approvals.ts';
import type { McpSettings } from './options.ts';
import type { ProgressRequest } from './progress.ts';
import { Progress } from './progress.ts';

/** The part of a request that an approval needs. */
export interface ApprovalRequest extends ProgressRequest {
  signal: AbortSignal;
  requestState: () => unknown;
  inputResponses?: Record<string, unknown> | undefined;
  envelope?: unknown;
  /** Asks the user, in the older era. */
  elicitInput?: (
    question: {
      mode: 'form';
      message: string;
      requestedSchema: { type: 'object'; properties: Record<string, object> };
    },
    options: { signal: AbortSignal; timeout: number },
  ) => Promise<{ action: string; content?: Record<string, unknown> | undefined }>;
}

/** An open question. */
interface Question {
  tool: ToolDefinition;
  args: unknown;
  decision: Approval;
  waiting: Progress | undefined;
}

/** A decision for `execute`, or a question to the user. */
export type CallApproval =
  | (ApprovalFields & { inputRequired?: undefined })
  | { inputRequired: InputRequiredResult };

/** Key of the elicitation in `inputRequests`. */
const QUESTION = 'approval';

/** Bound on open questions of a connection: a client may never answer them. The oldest expires first. */
const MAX_OPEN = 100;

/** Length at which a command is cut in a question (characters). */
const SHOWN_LENGTH = 10_000;

/**
 * Decides about the calls of one connection: by the toolset's `approve`, and for `ask` by elicitation.
 *
 * Keeps each open question under a random id, which the client returns as `requestState`. An answer is valid
 * once, for exactly the call that the question showed.
 */
class Approvals {
  #settings: Pick<McpSettings, 'approval' | 'approvalHint'>;
  #capabilities: () => ClientCapabilities | undefined;
  #open = new Map<string, Question>();

  /**
   * @param settings `approval`: how to handle `ask`: `elicit`, `deny` or `allow`; `approvalHint`: what
   *   denials to clients that can't ask end with
   * @param capabilities returns the client's capabilities from `initialize`, in the older era
   */
  constructor(
    settings: Pick<McpSettings, 'approval' | 'approvalHint'>,
    capabilities: () => ClientCapabilities | undefined,
  ) {
    this.#settings = settings;
    this.#capabilities = capabilities;
  }

  /**
   * Returns the approval fields of the context for `execute`, or `inputRequired` with a question to the user.
   */
  async decide(
    tool: ToolDefinition,
    args: unknown,
    context: CallContext,
    request: ApprovalRequest,
  ): Promise<CallApproval> {
    const state = request.requestState();
    if (typeof state === 'string') return this.#answer(tool, args, state, request.inputResponses?.[QUESTION]);
    const decision = await tool.decide(args, context);
    if (decision.verdict !== 'ask')
      return approvalFields(decision.verdict === 'allow', decision.reason, decision.token);
    const { approval, approvalHint } = this.#settings;
    // Only a person decides about more than the sandbox gives.
    const hint = decision.escalation === null ? `; ${approvalHint}` : '';
    if (approval === 'allow' && decision.escalation === null)
      return approvalFields(true, null, decision.token);
    const needed = decision.reason ?? 'it needs an approval';
    if (approval !== 'elicit')
      return approvalFields(false, `${needed}; nobody is asked here`, decision.token);
    if (!this.#canAsk(request))
      return approvalFields(false, `${needed}; ${CANNOT_ASK}${hint}`, decision.token);
    return { inputRequired: this.#ask(tool, args, decision, request) };
  }

  /** Drops all open questions. */
  close(): void {
    for (const { waiting } of this.#open.values()) waiting?.stop();
    this.#open.clear();
  }

  #canAsk(request: ApprovalRequest): boolean {
    const envelope = request.envelope as Record<string, ClientCapabilities | undefined> | undefined;
    const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? this.#capabilities() ?? {};
    if (elicitation === undefined) return false;
    // An empty object is the first version of the capability, and means forms.
    return elicitation.form !== undefined || elicitation.url === undefined;
  }

  #ask(
    tool: ToolDefinition,
    args: unknown,
    decision: Approval,
    request: ApprovalRequest,
  ): InputRequiredResult {
    const id = randomBytes(16).toString('base64url');
    // In the older era the request stays open while the user decides, and the client's timeout runs. In the
    // newer era the question ends the request.
    const waiting =
      request.envelope === undefined ? new Progress(request, 'Waiting for approval') : undefined;
    this.#open.set(id, { tool, args, decision, waiting });
    if (this.#open.size > MAX_OPEN) this.#take(this.#open.keys().next().value ?? '');
    request.signal.addEventListener('abort', () => this.#take(id), { once: true });
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message: messageOf(tool, decision), requestedSchema });
    return inputRequired({ inputRequests: { [QUESTION]: question }, requestState: id });
  }

  #take(id: string): Question | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.waiting?.stop();
    return open;
  }

  #answer(tool: ToolDefinition, args: unknown, id: string, given: unknown): ApprovalFields {
    const open = this.#take(id);
    if (open === undefined || open.tool !== tool || !isDeepStrictEqual(open.args, args)) {
      return {
        approval: 'denied',
        approvalReason: 'the approval is not for this call, or has been used or has expired',
      };
    }
    const response = given as { action?: unknown } | null | undefined;
    const isGranted = response?.action === 'accept';
    const reason =
      response?.action === 'cancel' ? 'the user dismissed the request for approval' : 'the user declined';
    return approvalFields(isGranted, reason, open.decision.token);
  }
}

const CANNOT_ASK = 'this client cannot ask the user for an approval (it has no elicitation)';

function messageOf(tool: ToolDefinition, { command, reason }: Approval): string {
  const isLong = command.length > SHOWN_LENGTH;
  const shown = isLong
    ? `${command.slice(0, SHOWN_LENGTH)}\n… and ${command.length - SHOWN_LENGTH} characters more`
    : command;
  return visibleText(`Run this command? (${tool.name})\n\n${shown}${reason === null ? '' : `\n\n${reason}`}`);
}

export { Approvals };
