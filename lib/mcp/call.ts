import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { ToolDefinition } from 'agent-bash/tools';
import type { ApprovalRequest, Approvals } from './approval.ts';
import { describeResult } from './describe.ts';
import type { McpSettings } from './options.ts';
import { Progress } from './progress.ts';

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
    const result = await tool.execute(args, { ...context, ...approval, onUpdate: progress.listener });
    return describeResult(result, settings);
  } finally {
    progress.stop();
  }
}

export { callTool };
