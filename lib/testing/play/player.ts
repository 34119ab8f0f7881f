import { Buffer } from 'node:buffer';
import type {
  InputWaitState,
  JobEvent,
  MoreSpec,
  NativeResult,
  Piece,
  PortState,
} from '../../addon/addon-types.ts';
import type { CancelableTimer } from '../../addon/seam.ts';
import type { RunError } from '../../result/api.ts';
import type { StreamName } from '../../result/output-api.ts';
import type { Clock } from './clock.ts';
import type { ObservedOutput } from './observed.ts';
import type { Chunk, Output } from './results.ts';
import type { InputKind, Script, ScriptEnd, ScriptEvent } from './script.ts';
import { SpillWriter } from './spill.ts';
import { addonNeeded } from './without-addon.ts';

/** The clock of a played command, the receivers of its events, and the limits of its call. */
export interface PlayerContext {
  clock: Clock;
  emit: (event: Omit<JobEvent, 'id'>) => void;
  output: Output;
  /** The output for recordings and live views, if there are any. */
  observed: ObservedOutput | undefined;
  more: MoreSpec | undefined;
  timeout: number | undefined;
  isWanted: boolean | undefined;
  /** Is called at the end of the command. */
  onEnd: (native: NativeResult) => void;
  /** Is called for an input that the recording does not have. Returns the error of the test. */
  onOtherInput: (place: string, expected: string, actual: string) => RunError;
}

/** Signals that end no program by default. */
const HARMLESS = ['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH'];

/** Plays the script of a command, as the addon would report it. */
export class Player {
  #script: Script;
  #stage: PlayerContext;
  #started: number;
  #next = 0;
  #timer: CancelableTimer | undefined;
  #limits: CancelableTimer[] = [];
  #idle: CancelableTimer | undefined;
  #isOver = false;
  #isPaused = false;
  #isWanted: boolean | undefined;
  #isWatched = false;
  #pid: number | null = null;
  #spawn = { isAsked: false, isReported: false };
  #follows = { waits: false, ports: false };
  #ports: PortState[] | undefined;
  #typed = '';
  #spill: SpillWriter | undefined;

  constructor(script: Script, stage: PlayerContext) {
    this.#script = script;
    this.#stage = stage;
    this.#isWanted = stage.isWanted;
    this.#started = stage.clock.now();
    const { spill } = stage.more?.output ?? {};
    if (spill !== undefined && script.end.status !== 'failed') this.#spill = new SpillWriter(spill);
    stage.clock.count(1);
    this.#limit(stage.timeout, () => this.#timeOut());
    this.#restartIdle();
    this.#schedule();
  }

  get pid(): number | null {
    return this.#pid;
  }

  get isLive(): boolean {
    return !this.#isOver;
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#schedule();
  }

  watch(): void {
    this.#isWatched = true;
  }

  reportSpawn(): void {
    this.#spawn.isAsked = true;
    this.#reportSpawn();
  }

  followWaits(isFollowed: boolean): void {
    this.#follows.waits = isFollowed;
  }

  followPorts(isFollowed: boolean): void {
    this.#follows.ports = isFollowed;
    if (isFollowed && this.#ports !== undefined) this.#later({ kind: 'ports', ports: this.#ports } as never);
  }

  /** Answers a question whether the job waits for input, as the recording did. */
  checkInput(): boolean {
    if (this.#isOver) return false;
    const index = this.#script.events.findIndex(({ kind }) => kind === 'checked');
    const [found] = index < 0 ? [] : this.#script.events.splice(index, 1);
    if (index >= 0 && index < this.#next) this.#next--;
    const wait: InputWaitState | undefined = found?.kind === 'checked' ? found.wait : undefined;
    this.#later({ kind: 'inputchecked', wait } as never);
    this.#schedule();
    return true;
  }

  read(since: number): Piece | null {
    return this.#stage.output.read(since);
  }

  /** Takes a request of the caller. Returns whether the job was live. */
  input(kind: InputKind, value: string): boolean {
    if (this.#isOver) return false;
    this.#restartIdle();
    const { events } = this.#script;
    const at = events.findIndex((event, index) => index >= this.#next && event.kind === 'input');
    const expected = events[at];
    if (expected?.kind === 'input' && expected.input === kind) {
      if (kind === 'write') this.#typed += value;
      const isSame = kind === 'write' && expected.isSame?.(this.#typed) === true;
      if (isSame) this.#typed = expected.value;
      const typed = kind === 'write' ? this.#typed : value;
      if (kind === 'write' && expected.value.startsWith(typed) && typed !== expected.value) return true;
      if (kind === 'write' && !typed.startsWith(expected.value)) {
        this.#refuse(this.#stage.onOtherInput(this.#script.place ?? '', expected.value, typed));
        return true;
      }
      this.#typed = kind === 'write' ? typed.slice(expected.value.length) : '';
      // Events that were recorded before the input have happened by now.
      while (this.#next < at && !this.#isOver) this.#play(events[this.#next++]);
      this.#next++;
      // Only in a replay does `dispose()` of a target wait for its jobs: a later input may wait for it.
      if (kind === 'dispose') this.#dropInputs();
      this.#schedule();
      const rest = this.#typed;
      this.#typed = '';
      if (rest !== '') this.input('write', rest);
      return true;
    }
    this.#unscripted(kind, value);
    return true;
  }

  /** Ends the job as a signal, a timeout or an abort ends a program. */
  stop(status: NativeResult['status'], signal: string): void {
    if (this.#isOver) return;
    this.#flush();
    this.#finish({ at: this.#elapsed(), status, signal, pid: this.#script.end.pid, own: {} });
  }

  /** Plays the rest of the events without an input. */
  #dropInputs(): void {
    const { events } = this.#script;
    const rest = events.splice(this.#next).filter((event) => event.kind !== 'input');
    events.push(...rest);
  }

  #unscripted(kind: InputKind, value: string): void {
    const signal = this.#killSignal();
    if (kind === 'abort') this.stop('aborted', signal);
    else if (kind === 'expire') this.#timeOut();
    else if (kind === 'dispose') this.#closeTarget();
    else if (kind === 'kill' && !HARMLESS.includes(value)) this.stop('signaled', value);
    else if (kind === 'write' && this.#script.place !== undefined && value !== '') {
      this.#stage.onOtherInput(this.#script.place, '', value);
    }
  }

  #closeTarget(): void {
    this.#refuse({ code: 'TARGET_CLOSED', message: 'The target was disposed.' });
  }

  /** Ends the job with an error: nothing tells how it would go on. */
  #refuse({ code, message }: RunError): void {
    this.#flush();
    const own = { error: { code, message } };
    this.#finish({ at: this.#elapsed(), status: 'failed', pid: this.#script.end.pid, own });
  }

  #killSignal(): string {
    const number = this.#stage.more?.killSignal;
    const { constants } = require('node:os') as typeof import('node:os');
    return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? 'SIGTERM';
  }

  #timeOut(): void {
    if (this.#stage.more?.movesToBackground !== true) {
      this.stop('timeout', this.#killSignal());
      return;
    }
    const { backgroundTimeout } = this.#stage.more;
    this.#limit(backgroundTimeout, () => this.stop('timeout', this.#killSignal()));
    const end: ScriptEnd = { at: this.#elapsed(), status: 'background', pid: this.#script.end.pid, own: {} };
    this.#stage.emit({ kind: 'background', ...this.#resultEvent(end) } as never);
  }

  #limit(ms: number | undefined, act: () => void): void {
    if (ms === undefined || !Number.isFinite(ms) || this.#isTimed()) return;
    this.#limits.push(this.#stage.clock.after(ms, act));
  }

  /** Returns whether the recording itself has the end by a time limit, or the move to the background. */
  #isTimed(): boolean {
    const { end, events } = this.#script;
    if (this.#script.place === undefined) return false;
    return /imeout$/.test(end.status) || events.some(({ kind }) => kind === 'background');
  }

  #restartIdle(): void {
    const ms = this.#stage.more?.idleTimeout;
    this.#idle?.cancel();
    if (ms === undefined || !Number.isFinite(ms) || this.#isTimed() || this.#isOver) return;
    this.#idle = this.#stage.clock.after(ms, () => this.stop('idleTimeout', this.#killSignal()));
  }

  #elapsed(): number {
    return this.#stage.clock.now() - this.#started;
  }

  #schedule(): void {
    this.#timer?.cancel();
    if (this.#isOver || this.#isPaused) return;
    const event: ScriptEvent | undefined = this.#script.events[this.#next];
    if (event?.kind === 'input') return;
    const at = event === undefined ? this.#script.end.at : event.at;
    if (at === 'never') return;
    this.#timer = this.#stage.clock.after(at - this.#elapsed(), () => {
      if (event === undefined) return this.#finish(this.#script.end);
      this.#next++;
      this.#play(event);
      this.#schedule();
    });
  }

  #play(event: ScriptEvent): void {
    switch (event.kind) {
      case 'spawn':
        this.#pid = this.#script.end.pid ?? null;
        this.#reportSpawn();
        break;
      case 'output':
        this.#restartIdle();
        this.#write(event.stream, event.data);
        break;
      case 'waiting':
        if (this.#follows.waits) this.#stage.emit({ kind: 'waiting', wait: event.wait } as never);
        break;
      case 'ports':
        this.#ports = event.ports;
        if (this.#follows.ports) this.#stage.emit({ kind: 'ports', ports: event.ports } as never);
        break;
      case 'background':
        this.#stage.emit({ kind: 'background', ...this.#resultEvent(event.end) } as never);
        break;
      default:
    }
  }

  #write(stream: StreamName, data: string | Uint8Array): void {
    const bytes = Buffer.from(data as string);
    this.#spill?.write(bytes);
    const made = this.#stage.output.push(stream, data);
    const recorded: Chunk = typeof data === 'string' ? { stream, text: data } : { stream, data: bytes };
    this.#emitChunks(this.#script.isRaw ? made : [recorded]);
    const { observed, clock, emit } = this.#stage;
    if (observed?.push(stream, bytes, clock.wallNow())) emit({ kind: 'observed' });
    if (!this.#isWatched) return;
    this.#isWatched = false;
    this.#stage.emit({ kind: 'changed' });
  }

  #emitChunks(chunks: Chunk[]): void {
    if (this.#isWanted === false) return;
    for (const { stream, text, data } of chunks) this.#stage.emit({ kind: stream, text, data } as never);
  }

  #reportSpawn(): void {
    if (this.#pid === null || !this.#spawn.isAsked || this.#spawn.isReported) return;
    this.#spawn.isReported = true;
    this.#later({ kind: 'spawn', pid: this.#pid } as never);
  }

  /** Emits an event in a later turn, as the addon does. */
  #later(event: Omit<JobEvent, 'id'>): void {
    this.#stage.clock.after(0, () => this.#stage.emit(event));
  }

  /** Plays what is due by now, before an end by force. */
  #flush(): void {
    const { events } = this.#script;
    while (events[this.#next] !== undefined && events[this.#next].at <= this.#elapsed()) {
      if (events[this.#next].kind === 'input') return;
      this.#play(events[this.#next++]);
    }
  }

  #finish(end: ScriptEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#idle?.cancel();
    for (const limit of this.#limits) limit.cancel();
    const rest = this.#stage.output.finish();
    if (this.#script.isRaw) this.#emitChunks(rest);
    const event = this.#resultEvent(end);
    this.#stage.clock.count(-1);
    this.#stage.onEnd(event.result);
    this.#stage.emit({ kind: 'end', ...event } as never);
  }

  /** Returns the fields of a recording, or of a failure, that the output does not give. */
  #fixed(end: ScriptEnd): Record<string, unknown> {
    const { output } = this.#stage;
    if (output.isNative) return end.exact ?? {};
    if (this.#script.place !== undefined || !output.needsAddon) return { ...end.exact, ...end.plain };
    const { code, message } = addonNeeded('the form of this output');
    return { status: 'failed', exitCode: undefined, error: { code, message } };
  }

  #resultEvent(end: ScriptEnd): { result: NativeResult; bytes?: { stdout: Buffer; stderr: Buffer } } {
    const durationMs = end.at === 'never' ? this.#elapsed() : end.at;
    const spilled = this.#spill?.report(end.spill);
    const { bytes, ...derived } = this.#stage.output.result(end, durationMs, spilled);
    const { bytes: exactBytes, ...exact } = this.#fixed(end) as { bytes?: typeof bytes };
    const result: NativeResult = {
      ...derived,
      status: end.status,
      exitCode: end.exitCode,
      signal: end.signal,
      durationMs,
      pid: end.pid,
      usage: end.usage,
      ...end.own,
      ...exact,
    };
    if (spilled !== undefined) result.spill = { ...spilled, error: end.spill?.error } as never;
    const streams = exactBytes ?? bytes;
    return streams === undefined ? { result } : { result, bytes: streams };
  }
}
