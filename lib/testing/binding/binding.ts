// The binding that takes the calls of one copy of the package during a test: it plays commands, records them,
// or passes them on to the addon.

import type {
  BashSpec,
  Binding,
  JobEvent,
  NativeError,
  NativeResult,
  NativeSecretScope,
  NativeSession,
  RunSpec,
  SecretScopeSpec,
  SessionSpec,
  ViewSpec,
} from '../../addon/addon-types.ts';
import { failure } from '../../addon/native.ts';
import { isNativeError } from '../../addon/native-error.ts';
import { CHILD } from '../../addon/seam.ts';
import type { ActualCall } from '../cassette/call.ts';
import { callOf, callOfBash } from '../cassette/call.ts';
import { Recorder } from '../cassette/recorder.ts';
import { ObservedOutput } from '../play/observed.ts';
import { Player } from '../play/player.ts';
import { Output } from '../play/results.ts';
import type { Script } from '../play/script.ts';
import type { Scope } from '../scope.ts';
import { forAddon } from './handles.ts';
import { JobRequests } from './requests.ts';
import { ReplayedSession } from './session.ts';
import { DoubleTarget } from './target.ts';

type Spec = RunSpec & { given?: Parameters<typeof callOf>[0]['given'] };
type Wanted = boolean | undefined | null;

/** The start of a command of any kind, to be played, recorded or passed on. */
export interface StartedCall {
  call: ActualCall;
  output: Output;
  more: RunSpec['more'];
  timeout: number | undefined;
  isWanted: Wanted;
  files: string[];
  session?: number | undefined;
  /** The id of the target of the command. */
  target: number | undefined;
  onEnd?: (native: NativeResult) => void;
}

/** The refusal of a job that outlives the test, and so its recording. */
const NOT_DURABLE: NativeError = {
  code: 'ERR_FEATURE_UNAVAILABLE',
  message: "durable jobs are not recorded and not replayed: use mode: 'live'",
  option: 'durable',
};

/** The binding of one copy of the package. */
export class DoubleBinding extends JobRequests {
  run(id: number, spec: Spec, isWanted?: Wanted): NativeError | null {
    const scope = this.current();
    if (scope === undefined || scope.mode === 'live') return this.addon.run(id, forAddon(spec), isWanted);
    const { more, timeout, surroundings } = spec;
    if (more?.durable !== undefined) return NOT_DURABLE;
    const files = surroundings.files ?? [];
    const target = surroundings.target?.target.id;
    const start = { call: named(scope, callOf(spec), surroundings), more, timeout, isWanted, files, target };
    if (scope.records(start.call)) {
      const own = forAddon(withoutChild(scope.inSandbox(spec)));
      return this.#record(scope, id, { ...start, output: Output.ofRun(more) }, () =>
        this.addon.run(id, own, true),
      );
    }
    this.play(scope, id, { ...start, output: Output.ofRun(more) });
    return null;
  }

  start(id: number, call: BashSpec, isWanted?: Wanted, view?: ViewSpec | null): NativeError | null {
    const scope = this.current();
    if (scope === undefined || scope.mode === 'live') {
      return this.addon.start(id, forAddon(call), isWanted, view);
    }
    const output = Output.ofBash(call, view ?? undefined);
    if (!(output instanceof Output)) return output;
    const more = { pty: call.pty, bytes: call.bytes, openInput: call.pty !== undefined } as RunSpec['more'];
    const { timeout, surroundings } = call;
    const own = named(scope, callOfBash(call), surroundings);
    const target = surroundings?.target?.target.id;
    const start = { call: own, output, more, timeout, isWanted, files: [], target };
    if (!scope.records(start.call)) {
      this.play(scope, id, start);
      return null;
    }
    return this.#record(scope, id, start, () => this.addon.start(id, forAddon(call), true, view));
  }

  bash(id: number, call: BashSpec): NativeError | null {
    const scope = this.current();
    if (scope === undefined || scope.mode === 'live') return this.addon.bash(id, forAddon(call));
    const next = this.link.listeners.get(id);
    // The answer is the text of the result.
    this.link.listeners.set(id, (event) => {
      if (event.kind === 'end')
        next?.({ id, kind: 'answer', text: event.result.output ?? event.result.stdout });
    });
    return this.start(id, call, false);
  }

  openSecretScope(id: number, spec: SecretScopeSpec): NativeSecretScope | NativeError {
    const scope = this.current();
    const isPlayed = scope !== undefined && scope.mode !== 'live' && scope.mode !== 'record';
    // A played command asks for no value.
    return isPlayed ? { answer() {} } : this.addon.openSecretScope(id, spec);
  }

  openSession(spec: SessionSpec & { given?: Spec['given'] }): NativeSession | NativeError {
    const scope = this.current();
    if (scope === undefined || scope.mode === 'live') return this.addon.openSession(forAddon(spec));
    const number = scope.nextSession();
    const callIn = (own: Spec, cwd: string): ActualCall => {
      const call = callOf({ ...own, surroundings: { ...spec.surroundings, cwd } });
      const options = { ...call.options, session: number };
      return named(scope, { ...call, options }, spec.surroundings);
    };
    if (scope.mode !== 'record') return new ReplayedSession(this, scope, spec, callIn);
    return this.#recordedSession(scope, spec, number, callIn);
  }

  /** Plays a command that does not run. */
  play(scope: Scope, id: number, start: StartedCall): void {
    const { call, output, more, timeout, isWanted, onEnd } = start;
    const journal = scope.begin(call, start.files);
    scope.files.screens.push(output.screens);
    const emit = (event: Omit<JobEvent, 'id'>) => this.emit(id, event);
    this.outputs.set(id, output);
    this.begun(id, start.target);
    const observed = more?.observed && new ObservedOutput(more.observed === 'all');
    if (observed !== undefined) this.observed.set(id, observed);
    const begin = (script: Script) => {
      const player = new Player(script, {
        clock: scope.clock,
        emit,
        output,
        observed,
        more,
        timeout,
        isWanted: isWanted ?? undefined,
        onEnd: (native) => {
          this.over(id, native);
          scope.apply(script.files);
          journal.end(native);
          onEnd?.(native);
        },
        onOtherInput: (place, expected, actual) => scope.otherInput(`job-${id}`, place, expected, actual),
      });
      this.jobs.set(id, player);
      scope.add(player);
    };
    const script = scope.script(call, journal);
    if (script instanceof Promise) {
      this.pending.add(id);
      scope.clock.count(1);
      script.then((ready) => {
        this.pending.delete(id);
        begin(ready);
        for (const act of this.early.get(id) ?? []) act();
        this.early.delete(id);
        scope.clock.count(-1);
      });
    } else begin(script);
  }

  createTarget(...given: Parameters<Binding['createTarget']>): ReturnType<Binding['createTarget']> {
    const scope = this.current();
    if (scope === undefined || scope.mode === 'live') return this.addon.createTarget(...given);
    const native = failure === null ? this.addon.createTarget(...given) : null;
    if (isNativeError(native)) return native;
    const target = new DoubleTarget(native, scope.isReplayed, given[0], {
      close: (target, done) => this.closeTarget(target, done),
      done: (id) => this.done(id),
    });
    this.targets.set(target.id, new WeakRef(target));
    return target as never;
  }

  guardian(): ReturnType<Binding['guardian']> {
    return this.addon.guardian();
  }

  #record<Refused>(scope: Scope, id: number, start: StartedCall, act: () => Refused): Refused {
    const journal = scope.begin(start.call, start.files);
    scope.files.screens.push(start.output.screens);
    const { recorded } = journal;
    recorded.session = start.session;
    const next = this.link.listeners.get(id) ?? (() => {});
    const recorder = new Recorder(recorded, start.output, start.isWanted ?? undefined, next, (native) => {
      this.over(id, native);
      if (!recorder.isSmall) scope.tooLong(recorded.call);
      scope.recordChanges(recorded);
      journal.end(native);
      start.onEnd?.(native);
    });
    this.link.listeners.set(id, (event) => recorder.event(event));
    let refused: Refused;
    try {
      refused = act();
    } catch (error) {
      scope.drop(recorded);
      throw error;
    }
    if (refused !== null) {
      scope.drop(recorded);
      return refused;
    }
    this.jobs.set(id, recorder);
    this.begun(id, start.target);
    this.addon.reportSpawn(id);
    return refused;
  }

  #recordedSession(
    scope: Scope,
    spec: SessionSpec,
    number: number,
    callIn: (own: Spec, cwd: string) => ActualCall,
  ): NativeSession | NativeError {
    const native = this.addon.openSession(forAddon(withoutChild(spec)));
    if (isNativeError(native)) return native;
    const run = (id: number, own: Spec, pipeStatus: boolean, isWanted?: Wanted) => {
      const call = callIn(own, spec.surroundings.cwd);
      const { more, timeout } = own;
      const target = spec.surroundings.target?.target.id;
      const output = Output.ofRun(more);
      const start = { call, more, timeout, isWanted, files: [], session: number, output, target };
      return this.#record(scope, id, start, () => native.run(id, own, pipeStatus, true));
    };
    return {
      run,
      interrupt: (signal: string | number) => native.interrupt(signal),
      restart: (id: number, cwd?: string | null, root?: string | null) => native.restart(id, cwd, root),
      close: (id: number) => native.close(id),
      status: () => native.status(),
    } as NativeSession;
  }
}

/** Returns a spec whose command is no child of the test: it is recorded itself, with all that it starts. */
function withoutChild<Of extends SessionSpec | Spec>(spec: Of): Of {
  const { environment } = spec.surroundings;
  if (!environment.includes(`${CHILD}=`)) return spec;
  const lines = environment.split('\0').filter((line) => !line.startsWith(`${CHILD}=`));
  return { ...spec, surroundings: { ...spec.surroundings, environment: lines.join('\0') } };
}

/** Returns a call with the name of its overlay, if it has one. */
function named(scope: Scope, call: ActualCall, surroundings: Spec['surroundings'] | undefined): ActualCall {
  const { overlay } = surroundings ?? {};
  if (overlay === undefined) return call;
  return { ...call, options: { ...call.options, overlay: scope.overlays.of(overlay.id) } };
}
