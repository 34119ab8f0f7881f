import { describeResult } from './describe.mjs';
import { Progress } from './progress.mjs';

/**
 * Handles one `tools/call`: approval, then the command, with progress notifications. A cancelled request
 * aborts the command.
 */
async function callTool({ tool, args, request, approvals, settings }) {
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
