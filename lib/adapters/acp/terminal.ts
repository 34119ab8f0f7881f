import { type Job, type JobOptions, Jobs, type RunResult } from 'agent-bash';
import type { ExitStatus, TerminalOutputResponse } from './protocol.ts';

/** A command of an agent: a job in a table of its own, which keeps the output until the release. */
export class AcpTerminal {
  readonly sessionId: string;
  readonly job: Job;
  readonly #table: Jobs;
  readonly #limit: number;
  #result: RunResult | null = null;

  /** @param limit the most output that the agent reads (bytes of UTF-8) */
  constructor(sessionId: string, command: string | string[], options: JobOptions, limit: number) {
    this.sessionId = sessionId;
    this.#limit = limit;
    this.#table = new Jobs({ readBytes: limit, retention: FOREVER, maxRunning: 1 });
    this.job = this.#table.start(command, options);
    void this.job.result.then((result) => {
      this.#result = result;
    });
  }

  /**
   * Waits until the command runs. Resolves with the result of a command that was not started, else `null`.
   */
  async launched(): Promise<RunResult | null> {
    const isSpawned = new Promise<void>((resolve) => {
      this.job.once('spawn', resolve);
    });
    await Promise.race([isSpawned, this.job.result]);
    return this.#result?.pid === null ? this.#result : null;
  }

  output(): TerminalOutputResponse {
    const { text, dropped } = this.job.read();
    const output = lastBytes(text, this.#limit);
    return {
      output,
      truncated: dropped > 0 || output.length < text.length,
      exitStatus: this.#result === null ? null : exitStatusOf(this.#result),
    };
  }

  async exit(): Promise<ExitStatus> {
    return exitStatusOf(await this.job.result);
  }

  /** Ends the command with everything that it has started, and forgets its output. */
  release(): Promise<void> {
    return this.#table.dispose();
  }
}

/** The longest time that a table keeps a job (ms). */
const FOREVER = 2_147_483_647;

function exitStatusOf({ exitCode, signal }: RunResult): ExitStatus {
  return { exitCode, signal };
}

/** Returns the end of a text: at most `limit` bytes of UTF-8, from a character on. */
function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  // Bytes 0b10xxxxxx continue a character.
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
