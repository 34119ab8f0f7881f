import type { BashJob, RunResult, SignalName, StreamName } from '../../index.js';

/** Records all events of a job, in order. */
export class EventLog {
  readonly chunks: Array<{ stream: StreamName; text: string }> = [];
  readonly exits: Array<[code: number | null, signal: SignalName | null, result: RunResult]> = [];
  readonly names: string[] = [];

  constructor(job: BashJob) {
    job.on('data', (text, stream) => {
      this.names.push('data');
      this.chunks.push({ stream, text });
    });
    job.on('exit', (...end) => {
      this.names.push('exit');
      this.exits.push(end);
    });
  }

  text(stream?: StreamName): string {
    return this.chunks
      .filter((chunk) => stream === undefined || chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join('');
  }
}
