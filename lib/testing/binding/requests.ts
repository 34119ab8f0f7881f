// The requests about jobs, which a played job answers by itself, and a recorded one after a note.

import { Buffer } from 'node:buffer';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import type {
  Binding,
  JobEvent,
  NativeError,
  NativeResult,
  ObservedPiece,
  Piece,
} from '../../addon/addon-types.ts';
import { failure } from '../../addon/native.ts';
import type { BindingLink } from '../../addon/seam.ts';
import { realTimers } from '../../support/timers.ts';
import { Recorder } from '../cassette/recorder.ts';
import type { ObservedOutput } from '../play/observed.ts';
import { Player } from '../play/player.ts';
import type { Output } from '../play/results.ts';
import type { InputKind } from '../play/script.ts';
import type { Scope } from '../scope.ts';
import { makeTemporary } from '../temporary.ts';
import type { DoubleTarget } from './target.ts';

/** The part of a binding that takes requests about jobs. */
export class JobRequests {
  protected link: BindingLink;
  protected current: () => Scope | undefined;
  protected jobs: Map<number, Player | Recorder> = new Map();
  /** The output of played jobs, also after their end. */
  protected outputs: Map<number, Output> = new Map();
  /** The output of played jobs for their observers, until these release it. */
  protected observed: Map<number, ObservedOutput> = new Map();
  /** The targets by their ids, and the jobs on each. */
  protected targets: Map<number, WeakRef<DoubleTarget>> = new Map();
  #onTargets = new Map<number, number>();
  /** The closings of targets that wait for the end of the last job there. */
  #closings: { number: number; done: () => void }[] = [];
  #directories = new Set<string>();

  constructor(link: BindingLink, current: () => Scope | undefined) {
    this.link = link;
    this.current = current;
  }

  protected get addon(): Binding {
    return this.link.addon();
  }

  /** Jobs whose fake answers later, and the requests to them until then. */
  protected pending: Set<number> = new Set();
  protected early: Map<number, (() => void)[]> = new Map();

  write(id: number, bytes: Uint8Array): boolean {
    return this.#input(id, 'write', Buffer.from(bytes).toString(), () => this.addon.write(id, bytes), true);
  }

  endInput(id: number): void {
    this.#input(id, 'end', '', () => this.addon.endInput(id));
  }

  kill(id: number, signal: string | number): boolean | null {
    const name = signalName(signal);
    if (name === null) return null;
    const job = this.jobs.get(id);
    if (signal === 0) return job instanceof Player ? job.isLive : this.#isOurs(id) || this.addon.kill(id, 0);
    return this.#input(id, 'kill', name, () => this.addon.kill(id, signal) === true);
  }

  /** Returns what is known of a durable job, which only tests with real commands have. */
  durable(id: number): ReturnType<Binding['durable']> {
    return this.current()?.isReplayed ? null : this.addon.durable(id);
  }

  detach(id: number): boolean {
    return this.addon.detach(id);
  }

  abort(id: number): void {
    this.#input(id, 'abort', '', () => this.addon.abort(id));
  }

  expire(id: number): void {
    this.#input(id, 'expire', '', () => this.addon.expire(id));
  }

  resize(id: number, cols: number, rows: number): boolean {
    const job = this.jobs.get(id);
    if (job instanceof Player) this.outputs.get(id)?.resize(cols, rows);
    return this.#input(id, 'resize', `${cols}x${rows}`, () => this.addon.resize(id, cols, rows));
  }

  want(id: number, isWanted: boolean): void {
    const job = this.#touched(id);
    if (job !== undefined) job.want(isWanted);
    else if (!this.#defer(id, () => this.want(id, isWanted))) this.addon.want(id, isWanted);
  }

  pause(id: number, isPaused: boolean): void {
    const job = this.#touched(id);
    if (job instanceof Player) job.pause(isPaused);
    else if (!this.#isOver(id)) this.addon.pause(id, isPaused);
  }

  reportSpawn(id: number): void {
    const job = this.#touched(id);
    if (job instanceof Player) job.reportSpawn();
    else if (job !== undefined) job.reportSpawn(id);
    else if (!this.#defer(id, () => this.reportSpawn(id)) && !this.#isOver(id)) this.addon.reportSpawn(id);
  }

  /** A recording has no unfinished lines. */
  reportUnfinished(id: number): void {
    this.#ask(
      id,
      () => undefined,
      () => this.addon.reportUnfinished(id),
    );
  }

  watch(id: number): void {
    this.#ask(
      id,
      (player) => player.watch(),
      () => this.addon.watch(id),
    );
  }

  followWaits(id: number, isFollowed: boolean): void {
    this.#ask(
      id,
      (player) => player.followWaits(isFollowed),
      () => this.addon.followWaits(id, isFollowed),
    );
  }

  followPorts(id: number, isFollowed: boolean): void {
    this.#ask(
      id,
      (player) => player.followPorts(isFollowed),
      () => this.addon.followPorts(id, isFollowed),
    );
  }

  answerConnect(id: number, number: number, isAllowed?: boolean): void {
    this.#ask(id, ignored, () => this.addon.answerConnect(id, number, isAllowed));
  }

  holdTime(id: number, isHeld: boolean): void {
    this.#ask(id, ignored, () => this.addon.holdTime(id, isHeld));
  }

  reportState(id: number): boolean {
    return (
      this.#ask(
        id,
        () => false,
        () => this.addon.reportState(id),
      ) ?? false
    );
  }

  checkInput(id: number): boolean {
    return (
      this.#ask(
        id,
        (player) => player.checkInput(),
        () => this.addon.checkInput(id),
      ) ?? false
    );
  }

  pid(id: number): number | null {
    return (
      this.#ask(
        id,
        (player) => player.pid,
        () => this.addon.pid(id),
      ) ?? null
    );
  }

  isLive(id: number): boolean {
    return (
      this.pending.has(id) ||
      (this.#ask(
        id,
        (player) => player.isLive,
        () => this.addon.isLive(id),
      ) ??
        false)
    );
  }

  read(id: number, since: number): Piece | null {
    const output = this.outputs.get(id);
    return output === undefined ? this.addon.read(id, since) : output.read(since);
  }

  screen(id: number): ReturnType<Binding['screen']> {
    const output = this.outputs.get(id);
    if (output !== undefined) return output.screen();
    const native = this.addon.screen(id);
    const job = this.jobs.get(id);
    return (job instanceof Recorder && job.screens?.screen(native)) || native;
  }

  kept(id: number): number {
    return this.outputs.has(id) ? 0 : this.addon.kept(id);
  }

  forget(id: number): void {
    if (!this.outputs.delete(id)) this.addon.forget(id);
  }

  readObserved(id: number, since: number, most: number): ObservedPiece | null {
    const played = this.observed.get(id)?.read(since, most);
    return played ?? (this.#isPlayed(id) ? null : this.addon.readObserved(id, since, most));
  }

  watchObserved(id: number): void {
    this.observed.get(id)?.watch();
    if (!this.#isPlayed(id)) this.addon.watchObserved(id);
  }

  /** A played job waits for nobody: what its observers have not taken stays in memory. */
  takeObserved(id: number, cursor?: number | null): void {
    if (!this.#isPlayed(id)) this.addon.takeObserved(id, cursor);
  }

  forgetObserved(id: number): void {
    if (!this.observed.delete(id) && !this.#isPlayed(id)) this.addon.forgetObserved(id);
  }

  signalNumber(signal: string | number): number | null {
    const name = signalName(signal);
    return name === null ? null : (constants.signals[name as NodeJS.Signals] ?? Number(signal));
  }

  endsJob(signal: string | number, killSignal: string | number): boolean {
    if (failure === null) return this.addon.endsJob(signal, killSignal);
    return signalName(signal) === signalName(killSignal) || signalName(signal) === 'SIGKILL';
  }

  makePrivateDirectory(parent?: string | null): string | NativeError {
    if (this.current()?.isReplayed !== true) return this.addon.makePrivateDirectory(parent);
    const directory = makeTemporary('agent-bash.', parent);
    this.#directories.add(directory);
    process.once('exit', () => this.removePrivateDirectory(directory));
    return directory;
  }

  removePrivateDirectory(path: string): void {
    if (this.#directories.delete(path)) rmSync(path, { recursive: true, force: true });
    else if (failure === null) this.addon.removePrivateDirectory(path);
  }

  showsWaits(): boolean {
    return this.current()?.isReplayed === true || this.addon.showsWaits();
  }

  runningOf(pids: number[]): number[] {
    const live = [...this.jobs.values()].flatMap((job) => (job instanceof Player ? (job.pid ?? []) : []));
    const others = pids.filter((pid) => pid < 2 ** 30);
    const found = others.length > 0 && failure === null ? this.addon.runningOf(others) : [];
    return pids.filter((pid) => live.includes(pid) || found.includes(pid));
  }

  hasSurePipe(command: string, shell: string): boolean {
    // Without the addon, the cassette tells whether the statuses are known.
    return failure !== null || this.addon.hasSurePipe(command, shell);
  }

  endsInPipeline(command: string, shell: string): boolean {
    return failure !== null || this.addon.endsInPipeline(command, shell);
  }

  statusesLine(shell: string, script: string): string | null {
    return failure === null ? this.addon.statusesLine(shell, script) : null;
  }

  statusesScript(path: string): string {
    return failure === null ? this.addon.statusesScript(path) : '';
  }

  /** Reports that a request is done, in a later turn. */
  done(id: number): void {
    const result = { status: 'exited', stdout: '', stderr: '' } as NativeResult;
    realTimers.setImmediate(() => this.link.listeners.get(id)?.({ id, kind: 'end', result }));
  }

  /** Notes that a job has begun. */
  protected begun(id: number, target: number | undefined): void {
    if (target === undefined) return;
    this.#onTargets.set(id, target);
    this.targets.get(target)?.deref()?.note();
  }

  /** Notes that a job is over. */
  protected over(id: number, native: NativeResult): void {
    this.jobs.delete(id);
    const target = this.#onTargets.get(id);
    if (target === undefined) return;
    this.#onTargets.delete(id);
    this.targets.get(target)?.deref()?.note(native);
    this.#finishClosings();
  }

  /** Ends the jobs on a target, as its `dispose()` does. Calls `done` when those that are played are over. */
  protected closeTarget(number: number, done: () => void): void {
    for (const [id, target] of this.#onTargets) {
      const job = this.jobs.get(id);
      if (target === number && job !== undefined) job.input('dispose', '');
    }
    this.#closings.push({ number, done });
    this.#finishClosings();
  }

  #finishClosings(): void {
    const isBusy = (number: number) =>
      [...this.#onTargets].some(([id, target]) => target === number && this.jobs.get(id) instanceof Player);
    const ready = this.#closings.filter(({ number }) => !isBusy(number));
    this.#closings = this.#closings.filter((each) => !ready.includes(each));
    for (const { done } of ready) done();
  }

  protected emit(id: number, event: Omit<JobEvent, 'id'>): void {
    this.link.listeners.get(id)?.({ ...event, id } as JobEvent);
  }

  /** Passes a request to a played or recorded job, or on to the addon. */
  #input(id: number, kind: InputKind, value: string, act: () => unknown, drains = false): boolean {
    const job = this.#touched(id);
    if (job instanceof Player) {
      const isTaken = job.input(kind, value);
      if (drains && isTaken) this.current()?.clock.after(0, () => this.emit(id, { kind: 'drain' }));
      return isTaken;
    }
    if (job instanceof Recorder) {
      job.input(kind, value);
      if (kind === 'resize') {
        const [cols, rows] = value.split('x').map(Number);
        job.screens?.resize(cols, rows);
      }
    }
    if (this.#defer(id, () => this.#input(id, kind, value, act, drains))) return true;
    return !this.#isOver(id) && act() === true;
  }

  #ask<Answer>(id: number, ofPlayer: (player: Player) => Answer, act: () => Answer): Answer | undefined {
    const job = this.#touched(id);
    if (job instanceof Player) return ofPlayer(job);
    if (this.#defer(id, () => this.#ask(id, ofPlayer, act)) || this.#isOver(id)) return undefined;
    return act();
  }

  #touched(id: number): Player | Recorder | undefined {
    this.current()?.clock.touch();
    return this.jobs.get(id);
  }

  /** Returns whether a job was played, and is over. */
  #isOver(id: number): boolean {
    return failure !== null || (this.outputs.has(id) && !this.jobs.has(id));
  }

  /** Returns whether a job was played, or can't have run. */
  #isPlayed(id: number): boolean {
    return failure !== null || this.outputs.has(id);
  }

  #isOurs(id: number): boolean {
    return this.pending.has(id);
  }

  #defer(id: number, act: () => void): boolean {
    if (!this.pending.has(id)) return false;
    this.early.set(id, [...(this.early.get(id) ?? []), act]);
    return true;
  }
}

/** Returns the name of a signal; `null` for one that does not exist. */
function signalName(signal: string | number): string | null {
  if (signal === 0) return 'SIG0';
  const all = Object.entries(constants.signals);
  const found = all.find(
    ([name, number]) => name === signal || `${number}` === `${signal}` || name === `SIG${signal}`,
  );
  if (found !== undefined) return found[0];
  const number = typeof signal === 'number' ? signal : Number(/^SIG(\d+)$/.exec(signal)?.[1]);
  return number > 0 && number <= 64 ? `SIG${number}` : null;
}

/** A replayed command asks nobody. */
function ignored(): void {}
