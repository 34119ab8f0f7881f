// Use in TypeScript. In your own program, import from 'agent-bash'.
import { BashJob, type OutputChunk, type RunResult } from '../index.js';

/** Runs a command and passes its output on as it comes. Ends the command also if `onChunk` throws. */
export async function run(
  command: string,
  onChunk: (chunk: OutputChunk) => void,
  signal?: AbortSignal,
): Promise<RunResult> {
  await using job = new BashJob({ command }, process.cwd(), false, {
    timeout: 60_000,
    ...(signal && { signal }),
  });
  for await (const chunk of job) onChunk(chunk);
  return await job.result;
}

/** Describes a result for the user. */
export function describe({ status, exitCode, signal, error }: RunResult): string {
  switch (status) {
    case 'exited':
      return `exit code ${exitCode}`;
    case 'signaled':
      return `died by ${signal}`;
    default:
      return error?.message ?? status;
  }
}
