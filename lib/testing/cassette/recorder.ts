import { isDeepStrictEqual } from 'node:util';
import type { JobEvent, NativeResult } from '../../addon/addon-types.ts';
import { realNow } from '../../support/now.ts';
import type { Output } from '../play/results.ts';
import { DERIVED } from '../play/results.ts';
import type { Screens } from '../play/screens.ts';
import type { InputKind, OwnFields, ScriptEnd, ScriptEvent } from '../play/script.ts';
import type { ActualCall } from './call.ts';
import type { StoredFile } from './files.ts';
import type { OverlayAnswer } from './questions.ts';

/** A command that ran, and what it did. */
export interface RecordedCommand {
  call: ActualCall;
  /** The number that stands for its pid in the cassette. */
  number?: number | undefined;
  events: ScriptEvent[];
  pid?: number | undefined;
  end?: ScriptEnd | undefined;
  notes: Record<string, string>;
  /** The changes of the command below the root. */
  changes?: StoredFile[];
  /** The directories of agent-bash's own files for the command. */
  files: string[];
  session?: number | undefined;
  /** Whether it is a question to an overlay, and its answer. */
  isQuestion?: true;
  answer?: OverlayAnswer | undefined;
}

/** The most output of a command that a cassette takes (bytes). */
export const MAX_OUTPUT: number = 1024 * 1024;

/** Records a command that runs: stands between the addon and the listener of the job. */
export class Recorder {
  readonly recorded: RecordedCommand;
  #started: number = realNow();
  #output: Output | null;
  #isWanted: boolean | undefined;
  #bytes = 0;
  #spawn = { isAsked: false, pid: undefined as number | undefined };
  #next: (event: JobEvent) => void;
  #onEnd: (native: NativeResult) => void;

  constructor(
    recorded: RecordedCommand,
    output: Output | null,
    isWanted: boolean | undefined,
    next: (event: JobEvent) => void,
    onEnd: (native: NativeResult) => void,
  ) {
    this.recorded = recorded;
    this.#output = output;
    this.#isWanted = isWanted;
    this.#next = next;
    this.#onEnd = onEnd;
  }

  get screens(): Screens | undefined {
    return this.#output?.screens;
  }

  /** Whether a cassette takes the output. */
  get isSmall(): boolean {
    return this.#bytes <= MAX_OUTPUT;
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
  }

  /** Notes that the caller asks for the event `spawn`, for which this recorder has asked already. */
  reportSpawn(id: number): void {
    this.#spawn.isAsked = true;
    const { pid } = this.#spawn;
    if (pid !== undefined) this.#next({ id, kind: 'spawn', pid });
  }

  input(input: InputKind, value: string): void {
    this.#add({ at: this.#elapsed(), kind: 'input', input, value });
  }

  /** Takes an event of the addon, and passes it on. */
  event(event: JobEvent): void {
    const at = this.#elapsed();
    switch (event.kind) {
      case 'spawn':
        this.#spawn.pid = event.pid;
        this.recorded.pid = event.pid;
        this.#add({ at, kind: 'spawn' });
        if (this.#spawn.isAsked) this.#next(event);
        return;
      case 'stdout':
      case 'stderr': {
        const data = event.data === undefined ? event.text : Uint8Array.from(event.data);
        this.#bytes += data.length;
        if (this.isSmall) {
          this.#add({ at, kind: 'output', stream: event.kind, data });
          this.#output?.push(event.kind, data);
        }
        if (this.#isWanted !== false) this.#next(event);
        return;
      }
      case 'waiting':
        this.#add({ at, kind: 'waiting', wait: event.wait });
        break;
      case 'inputchecked':
        this.#add({ at, kind: 'checked', wait: event.wait });
        break;
      case 'ports':
        this.#add({ at, kind: 'ports', ports: event.ports });
        break;
      case 'background':
        this.#add({ at, kind: 'background', end: this.#endOf(event) });
        break;
      case 'end':
        this.#output?.finish();
        this.recorded.end = this.#endOf(event);
        this.#onEnd(event.result);
        break;
      default:
    }
    this.#next(event);
  }

  #add(event: ScriptEvent): void {
    this.recorded.events.push(event);
  }

  #elapsed(): number {
    return realNow() - this.#started;
  }

  #endOf({ result, bytes }: Extract<JobEvent, { result: NativeResult }>): ScriptEnd {
    const { status, exitCode, signal, pid, usage, durationMs, spill } = result;
    const { cwd, backgroundPids, shellEnded, restarted, pipeStatus, sandbox, limits, target, error } = result;
    const ofSession = { shellEnded, restarted };
    const own: OwnFields = { cwd, backgroundPids, ...ofSession, pipeStatus, sandbox, limits, target, error };
    const end: ScriptEnd = { at: durationMs, status, exitCode, signal, pid, usage, own };
    if (spill !== undefined) end.spill = { bytes: spill.bytes, complete: spill.complete, error: spill.error };
    const at = end.at as number;
    end.exact = differences(this.#output?.result(end, at, result.spill), result, bytes);
    const plain = Object.entries(differences(this.#output?.plainResult(end, at), result, bytes) ?? {});
    const more = plain.filter(([name]) => !(end.exact !== undefined && name in end.exact));
    if (more.length > 0) end.plain = Object.fromEntries(more);
    return end;
  }
}

/** Returns the fields of a result that differ from those which its output gives; `undefined` without one. */
function differences(
  derived: (NativeResult & { bytes?: unknown }) | undefined,
  result: NativeResult,
  bytes: unknown,
): Record<string, unknown> | undefined {
  const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(one ?? undefined, other ?? undefined);
  const names = DERIVED.filter((name) => !isSame(derived?.[name], result[name]));
  const found: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, result[name]]));
  if (bytes !== undefined && !isSame(derived?.bytes, bytes)) found.bytes = bytes;
  return Object.keys(found).length === 0 ? undefined : found;
}
