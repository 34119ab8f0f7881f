import type { NativeResult, NativeSession, RunSpec, SessionSpec } from '../../addon/addon-types.ts';
import type { ActualCall } from '../cassette/call.ts';
import { Output } from '../play/results.ts';
import type { Scope } from '../scope.ts';
import type { DoubleBinding } from './binding.ts';

type CallIn = (own: RunSpec, cwd: string) => ActualCall;

/** A session whose commands do not run: one after another, as in a shell. */
export class ReplayedSession {
  #binding: DoubleBinding;
  #scope: Scope;
  #spec: SessionSpec;
  #callIn: CallIn;
  #queue: (() => void)[] = [];
  #running: number | null = null;
  #cwd: string | undefined;
  #isClosed = false;

  constructor(binding: DoubleBinding, scope: Scope, spec: SessionSpec, callIn: CallIn) {
    this.#binding = binding;
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
      this.#binding.play(this.#scope, id, {
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
    if (this.#running === null) return this.#binding.signalNumber(signal) === null ? null : false;
    return this.#binding.kill(this.#running, signal);
  }

  restart(id: number, cwd?: string | null): void {
    if (this.#running !== null) this.#binding.abort(this.#running);
    this.#cwd = cwd ?? undefined;
    this.#binding.done(id);
  }

  close(id: number): void {
    this.#isClosed = true;
    if (this.#running !== null) this.#binding.abort(this.#running);
    this.#binding.done(id);
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
