import type { NativeResult, NativeSession, RunSpec, SessionSpec } from '../../addon/addon-types.ts';
import type { ActualCall } from '../cassette/call.ts';
import { Output } from '../play/results.ts';
import type { Scope } from '../scope.ts';
import type { DoubleHost } from './host.ts';

type CallIn = (own: RunSpec, cwd: string) => ActualCall;

/** A session whose commands do not run: one after another, as in a shell. */
export class ReplayedSession {
  #host: DoubleHost;
  #scope: Scope;
  #spec: SessionSpec;
  #callIn: CallIn;
  #queue: (() => void)[] = [];
  #running: number | null = null;
  #cwd: string | undefined;
  #isClosed = false;

  constructor(host: DoubleHost, scope: Scope, spec: SessionSpec, callIn: CallIn) {
    this.#host = host;
    this.#scope = scope;
    this.#spec = spec;
    this.#callIn = callIn;
  }

  run(id: number, own: RunSpec, _pipeStatus: boolean, isWanted?: boolean | null): null {
    this.#queue.push(() => {
      this.#running = id;
      const { more, timeout } = own;
      const call = this.#callIn(own, this.#spec.surroundings.cwd);
      const onEnd = (native: NativeResult) => this.#ended(native);
      this.#host.play(this.#scope, id, {
        call,
        more,
        timeout,
        isWanted,
        files: [],
        target: this.#spec.surroundings.target?.target.id,
        output: Output.ofRun(more),
        onEnd,
      });
    });
    this.#next();
    return null;
  }

  interrupt(signal: string | number): boolean | null {
    if (this.#running === null) return this.#host.signalNumber(signal) === null ? null : false;
    return this.#host.kill(this.#running, signal);
  }

  restart(id: number, cwd?: string | null): void {
    if (this.#running !== null) this.#host.abort(this.#running);
    this.#cwd = cwd ?? undefined;
    this.#host.done(id);
  }

  close(id: number): void {
    this.#isClosed = true;
    if (this.#running !== null) this.#host.abort(this.#running);
    this.#host.done(id);
  }

  status(): ReturnType<NativeSession['status']> {
    const state = this.#isClosed ? 'closed' : this.#running === null ? 'idle' : 'busy';
    return { state, pending: this.#queue.length, cwd: this.#cwd };
  }

  #next(): void {
    if (this.#running === null) this.#queue.shift()?.();
  }

  #ended(native: NativeResult): void {
    this.#running = null;
    this.#cwd = native.cwd ?? this.#cwd;
    // The fields that only a session's results have.
    native.shellEnded ??= false;
    native.restarted ??= false;
    this.#next();
  }
}
