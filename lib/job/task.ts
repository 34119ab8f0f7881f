import type { JobEvent, NativeResult, OutputSpec } from '../addon/addon-types.ts';
import type { DurableLink } from '../durable/durable-link.ts';
import type { ObservedCommand } from '../observe/observed-command.ts';
import type { Terminal } from '../options/command/pty-options.ts';
import { bytesOf } from '../result/chunks.ts';
import type { Invocation, Result } from '../result/result.ts';
import { runResult, settleSpill } from '../result/result.ts';
import { features } from '../support/features.ts';
import type { Target } from '../target/target.ts';
import type { JobConnects } from './events/connects.ts';
import type { JobPrompts } from './events/prompts.ts';

type OutputEvent = Extract<JobEvent, { kind: 'stdout' | 'stderr' }>;

/** A command for a job: how it starts, what it takes, and what becomes of its result. */
export interface Task {
  /**
   * Starts the command. Returns `null`, or the native result of a command that can't start. `isWanted` is the
   * demand for its output.
   */
  start: (number: number, isWanted: boolean | undefined) => NativeResult | null;
  /** The native result of a task that must not start, or of `null`; absent without a question. */
  approval?: Promise<NativeResult | null> | undefined;
  /** Whether the constructor calls `start` and throws its errors, or the next microtask calls it. */
  startsAtOnce: boolean;
  /** The native result of a task that must not start, or `null`. */
  refusal: NativeResult | null;
  /** Whether listeners may be added after the start, in the same turn of the event loop. */
  mayGetListeners: boolean;
  /** Whether users get the job, and so may add listeners or write to it at any time. */
  isExposed: boolean;
  /** The command as text. */
  command: string;
  /** Returns the command and the directory for a native result. */
  invocation: (native: NativeResult) => Invocation;
  signal?: AbortSignal | undefined;
  /** The signal that `kill()` sends by default. */
  killSignal: string | number;
  /** Whether the addon takes input for the job. */
  hasInput: boolean;
  /** Whether the addon keeps the job's latest output. */
  hasRing: boolean;
  /** Whether the output stays bytes. */
  hasBytes: boolean;
  /** Whether the command runs on a target. */
  isElsewhere: boolean;
  /** The target of the command, where its ports can be forwarded. */
  target?: Target | undefined;
  pty?: Terminal | undefined;
  /** Whether SIGKILL follows a signal that ends the job. */
  isForced: boolean;
  /** The command for its observers; `undefined` without any. */
  observed?: ObservedCommand | undefined;
  /** Asks about connections that the sandbox does not list; `undefined` if nobody is asked. */
  connects?: JobConnects | undefined;
  /** The prompts of the command's programs; `undefined` if nobody answers them. */
  prompts?: JobPrompts | undefined;
  /** The job as one that outlives its host; absent for others. */
  durable?: DurableLink | undefined;
  /** The options of the output; absent without any. */
  output?: OutputSpec | undefined;
  /** Whether the result's output is the answer of `bash()`. */
  isAnswered: boolean;
  /** Whether the command runs in the shell of a session. */
  isInSession?: boolean;
  /** The id of the session in which the command runs. */
  sessionId?: string | undefined;
  /** The name of the shell, of a command in a session whose shell is not interactive. */
  shell?: string | undefined;
  /** Gets the number of a session's job whose background processes live on. */
  onLeft?: (number: number) => void;
}

/** Returns the text or the bytes of an event. */
function chunkOf(task: Task, { text, data }: OutputEvent): string | Uint8Array {
  if (task.hasBytes) return bytesOf(data);
  return task.isInSession ? features().withoutFileNames(text, task.shell) : text;
}

/** Returns the result of a job; `jobId` is `null` for one that no table has. */
function resultOf(task: Task, native: NativeResult, jobId: string | null): Result {
  const invocation = task.invocation(native);
  const result = task.isInSession
    ? features().sessionResult(native, invocation)
    : runResult(native, invocation, jobId, task.hasBytes);
  const recording = task.observed?.recording ?? null;
  if (recording !== null) result.recording = recording;
  return settleSpill(result, task.output);
}

export { chunkOf, resultOf };
