import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { inputRequired } from '@modelcontextprotocol/server';
import { visibleText } from 'agent-bash';
import type { Approval, CallContext, ToolDefinition } from 'agent-bash/tools';
import type { ApprovalFields } from '../../adapters/support/approvals.ts';
import { approvalFields } from '../../adapters/support/approvals.ts';
import type { McpSettings } from '../options.ts';
import { Progress } from '../progress.ts';
import type { OpenRequest } from './open-requests.ts';
import { OpenRequests } from './open-requests.ts';
import type { AskingRequest, Capabilities } from './request.ts';
import { canAsk, shownCommand } from './request.ts';

/** A call whose approval the user was asked for. */
interface Question extends OpenRequest {
  decision: Approval;
  waiting: Progress | undefined;
}

/** A decision for `execute`, or a question to the user. */
export type CallApproval =
  | (ApprovalFields & { inputRequired?: undefined })
  | { inputRequired: InputRequiredResult };

/** Key of the elicitation in `inputRequests`. */
const QUESTION = 'approval';

/**
 * Decides about the calls of one connection: by the toolset's `approve`, and for `ask` by elicitation. An
 * answer is valid once, for exactly the call that the question showed.
 */
class Approvals {
  #settings: Pick<McpSettings, 'approval' | 'approvalHint'>;
  #capabilities: Capabilities;
  #open = new OpenRequests<Question>(({ waiting }) => waiting?.stop());

  /**
   * @param settings `approval`: how to handle `ask`: `elicit`, `deny` or `allow`; `approvalHint`: what
   *   denials to clients that can't ask end with
   */
  constructor(settings: Pick<McpSettings, 'approval' | 'approvalHint'>, capabilities: Capabilities) {
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
    request: AskingRequest,
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
    if (!canAsk(request, this.#capabilities))
      return approvalFields(false, `${needed}; ${CANNOT_ASK}${hint}`, decision.token);
    return { inputRequired: this.#ask(tool, args, decision, request) };
  }

  /** Drops all open questions. */
  close(): void {
    this.#open.close();
  }

  #ask(tool: ToolDefinition, args: unknown, decision: Approval, request: AskingRequest): InputRequiredResult {
    // In the older era the request stays open while the user decides, and the client's timeout runs. In the
    // newer era the question ends the request.
    const waiting =
      request.envelope === undefined ? new Progress(request, 'Waiting for approval') : undefined;
    const id = this.#open.add({ tool, args, decision, waiting });
    request.signal.addEventListener('abort', () => this.#open.drop(id), { once: true });
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message: messageOf(tool, decision), requestedSchema });
    return inputRequired({ inputRequests: { [QUESTION]: question }, requestState: id });
  }

  #answer(tool: ToolDefinition, args: unknown, id: string, given: unknown): ApprovalFields {
    const open = this.#open.take(id, { tool, args });
    if (open === undefined) {
      return {
        approval: 'denied',
        approvalReason: 'the approval is not for this call, or has been used or has expired',
      };
    }
    open.waiting?.stop();
    const response = given as { action?: unknown } | null | undefined;
    const isGranted = response?.action === 'accept';
    const reason =
      response?.action === 'cancel' ? 'the user dismissed the request for approval' : 'the user declined';
    return approvalFields(isGranted, reason, open.decision.token);
  }
}

const CANNOT_ASK = 'this client cannot ask the user for an approval (it has no elicitation)';

function messageOf(tool: ToolDefinition, { command, reason }: Approval): string {
  const end = reason === null ? '' : `\n\n${reason}`;
  return visibleText(`Run this command? (${tool.name})\n\n${shownCommand(command)}${end}`);
}

export { Approvals };
