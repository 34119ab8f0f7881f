// The arguments and the answer of the `shell` tool of the Responses API, in the spelling of JavaScript SDKs.

import type { ToolData } from 'agent-bash/tools';
import type { AiShellOutput } from './api/ai-sdk.ts';

/** A stream pair in the structured form of an answer. */
interface ShellOutcome {
  stdout: string;
  stderr: string;
  outcome: { type: 'timeout' } | { type: 'exit'; exit_code: number };
}

/** Converts the SDK's `action` to the arguments of the dialect `openai-shell`. */
function shellArgs(action: ToolData): object {
  const { commands, timeoutMs, maxOutputLength } = action ?? {};
  return { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength };
}

/** Converts the structured form of an answer. */
function shellOutput({ output, max_output_length: maxOutputLength }: ToolData): AiShellOutput {
  return {
    output: (output as ShellOutcome[]).map(({ stdout, stderr, outcome }) => ({
      stdout,
      stderr,
      outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : { type: 'timeout' },
    })),
    ...(typeof maxOutputLength === 'number' && { maxOutputLength }),
  };
}

export { shellArgs, shellOutput };
