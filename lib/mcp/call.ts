import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { ConnectAnswer, ConnectQuestion } from 'agent-bash';
import { visibleText } from 'agent-bash';
import type { ToolDefinition } from 'agent-bash/tools';
import type { ApprovalRequest, Approvals } from './approval.ts';
import { describeResult } from './describe.ts';
import type { McpSettings } from './options.ts';
import { Progress } from './progress.ts';

/** The requests whose commands run, by their asynchronous contexts. */
const requests = new AsyncLocalStorage<ApprovalRequest>();

/** The timeout of an elicitation (ms): a command waits for less, and the signal fires then. */
const ANSWER_TIMEOUT = 120_000;

/** Length at which a command is cut in a question (characters). */
const SHOWN_LENGTH = 10_000;

/** The only field of the form about a host. */
const REMEMBERED = 'remember';

/** A `tools/call`, and what its server decides by. */
interface Call {
  tool: ToolDefinition;
  args: unknown;
  request: ApprovalRequest & { id: string | number };
  approvals: Approvals;
  settings: McpSettings;
}

/**
 * Handles one `tools/call`: approval, then the command, with progress notifications. A cancelled request
 * aborts the command.
 */
async function callTool({
  tool,
  args,
  request,
  approvals,
  settings,
}: Call): Promise<CallToolResult | InputRequiredResult> {
  const context = {
    signal: request.signal,
    callId: String(request.id),
    meta: { requestId: request.id },
    // The answer must come before the client's timeout.
    ...(settings.yieldMs > 0 && { yieldMs: settings.yieldMs }),
  };
  const approval = await approvals.decide(tool, args, context, request);
  if (approval.inputRequired !== undefined) return approval.inputRequired;
  const progress = new Progress(request);
  try {
    const execute = () => tool.execute(args, { ...context, ...approval, onUpdate: progress.listener });
    const result = await requests.run(request, execute);
    return describeResult(result, settings);
  } finally {
    progress.stop();
  }
}

/** Implements `elicitConnect()` of the API. */
async function elicitConnect({ host, port, command, signal }: ConnectQuestion): Promise<ConnectAnswer> {
  const request = requests.getStore();
  if (request?.elicitInput === undefined) throw new Error('no client of MCP has started the command');
  const lasting = {
    type: 'boolean' as const,
    title: 'Also for later commands',
    default: false,
  };
  const shown = command.length > SHOWN_LENGTH ? `${command.slice(0, SHOWN_LENGTH)}…` : command;
  const { action, content } = await request.elicitInput(
    {
      mode: 'form',
      message: visibleText(`Let this command connect to ${host}:${port}?\n\n${shown}`),
      requestedSchema: { type: 'object', properties: { [REMEMBERED]: lasting } },
    },
    { signal, timeout: ANSWER_TIMEOUT },
  );
  if (action !== 'accept') return 'no';
  return content?.[REMEMBERED] === true ? 'always' : 'once';
}

export { callTool, elicitConnect };
