// The double in the place of the addon, and the test that it belongs to.

import { AsyncLocalStorage } from 'node:async_hooks';
import type * as Native from '../../native.js';
import type { Binding } from '../addon/addon-types.ts';
import type { BindingLink, Double, Timers } from '../addon/seam.ts';
import { putDouble, SEAM_VERSION } from '../addon/seam.ts';
import { VERSION } from '../version.ts';
import { Questioned } from './answers/questioned.ts';
import { DoubleBinding } from './binding/binding.ts';
import { overlayIn } from './binding/overlay.ts';
import { ANSWERS, addonNeeded } from './play/without-addon.ts';
import type { Scope } from './scope.ts';

/** The scope of code that `withShell()` runs. */
const scopes = new AsyncLocalStorage<Scope>();

/** The scopes of the tests of `useShell()` that run. */
const active: Scope[] = [];

class TestDouble implements Double {
  readonly seam = SEAM_VERSION;
  readonly version = VERSION;
  #bindings = new WeakMap<BindingLink, DoubleBinding>();

  binding(link: BindingLink): Binding {
    let binding = this.#bindings.get(link);
    if (binding === undefined) {
      binding = new DoubleBinding(link, currentScope);
      this.#bindings.set(link, binding);
    }
    return binding as unknown as Binding;
  }

  timers(): Timers | undefined {
    const scope = currentScope();
    return scope?.isReplayed ? scope.clock : undefined;
  }

  readSharedFile(path: string, read: () => string | undefined): string | undefined {
    const scope = currentScope();
    return scope === undefined ? read() : scope.readSharedFile(path, read);
  }

  overlay(create: () => Native.NativeOverlay): Native.NativeOverlay {
    const scope = currentScope();
    return scope === undefined || scope.mode === 'live' ? create() : overlayIn(scope, create);
  }

  ask(name: string, given: unknown[], own: ((...given: unknown[]) => unknown) | Error): unknown {
    return questioned.ask(name, given, own);
  }

  absent(name: string, given: unknown[], failure: Error): unknown {
    if (currentScope() === undefined) throw failure;
    if (Object.hasOwn(ANSWERS, name)) return ANSWERS[name](...(given as never[]));
    throw addonNeeded(`${name}()`, failure);
  }
}

const double = new TestDouble();
const questioned = new Questioned(() => currentScope()?.files.answers);

/** Puts the double in the place of the addon, and removes an earlier one. Idempotent. */
export function install(): void {
  putDouble(double);
}

/** Returns the scope of the code that runs. */
export function currentScope(): Scope | undefined {
  return scopes.getStore() ?? active.at(-1);
}

/** Makes a scope that of all code that is in no other one. */
export function enter(scope: Scope): void {
  install();
  active.push(scope);
}

/** Ends what {@link enter} began. */
export function leave(scope: Scope): void {
  active.splice(active.lastIndexOf(scope), 1);
}

/** Calls `act` in a scope. */
export function inScope<Answer>(scope: Scope, act: () => Answer): Answer {
  return scopes.run(scope, act);
}
