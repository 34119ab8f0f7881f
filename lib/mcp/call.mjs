import { describeResult } from './describe.mjs';
import { Progress } from './progress.mjs';

/**
 * Answers one `tools/call`: approval, then the command, with progress while it runs. A cancelled request ends the command; the
 * protocol wants no answer then, and the output stays with the job.
 */
async function callTool({ tool, args, request, approvals, settings }) {
  const context = {
    signal: request.signal,
    callId: String(request.id),
    meta: { requestId: request.id },
    // Later, the client has given up.
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
