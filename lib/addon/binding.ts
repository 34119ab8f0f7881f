// The addon's binding for this Node.js environment, and the delivery of its events to the listeners of jobs,
// by id.
//
// The main thread and each worker load this module for themselves, so each has a binding of its own.

import { setImmediate } from '../support/timers.ts';
import type { Binding as BindingHandle, JobEvent } from './addon-types.ts';
import { withoutStores } from './async-context.ts';
import { Binding, failure, requireAddon, requireAnswers, startLog } from './native.ts';
import type { BindingLink } from './seam.ts';
import { theDouble } from './seam.ts';

/** Gets the events of a job. */
export type Listener = (event: JobEvent) => void;

/** id -> the listener of the job's events. */
const listeners = new Map<number, Listener>();
let nextId = 1;

/**
 * The number of jobs that keep the event loop alive, and whether the addon's threadsafe function holds the
 * reference for them.
 */
let refs = 0;
let isRef = false;

let binding: BindingHandle | undefined;

// The log of `AGENT_BASH_LOG`, for bug reports, starts before any option is checked: a check may log too.
const level = process.env.AGENT_BASH_LOG;
if (level && failure === null && !startLog(level)) {
  process.emitWarning(
    `AGENT_BASH_LOG: there is no level '${level}'; there are error, warn, info, debug, trace and off`,
  );
}

/**
 * Returns what takes the calls for commands: the addon's binding, or that of a test's double.
 */
function theBinding(): BindingHandle {
  const double = theDouble();
  return double === undefined ? addonBinding() : double.binding(link);
}

/**
 * Returns the addon's binding. The first command creates it, so that importing the package costs next to
 * nothing.
 */
function addonBinding(): BindingHandle {
  binding ??= startBinding();
  return binding;
}

/** The access of a test's double to this copy of the package. */
const link: BindingLink = {
  addon() {
    requireAddon();
    return addonBinding();
  },
  listeners,
};

function startBinding(): BindingHandle {
  const started = new Binding();
  // Node.js runs no cleanup hook of the addon for `process.exit()` on the main thread.
  process.on('exit', () => started.close());
  // A microtask attaches the listener while a spawner thread starts the first command, so the caller does
  // not wait for it.
  settled.then(attach);
  return started;
}

/**
 * Connects {@link deliver} to the addon.
 *
 * The context has no stores: the addon's threadsafe function lives as long as Node.js and keeps the context
 * in which it was created, so the `AsyncLocalStorage` stores of the first caller would never be freed.
 */
function attach(): void {
  withoutStores(() => addonBinding().attach(deliver as (arg: unknown) => void));
  if (isRef) addonBinding().keepAlive(true);
}

/**
 * Registers a job and returns its id. `listener(event)` gets all of its events, of which the last is `answer`
 * or `end`.
 */
function register(listener: Listener): number {
  // A job that can't start would fail later, where no caller gets the error.
  requireAnswers();
  const id = nextId++;
  listeners.set(id, listener);
  return id;
}

/** Replaces the listener of a job. */
function listen(id: number, listener: Listener): void {
  listeners.set(id, listener);
}

/** Events of a job that its listener does not get yet. */
export interface HeldEvents {
  /** Resolves with the first event: the report of the process, or the end of a job that has none. */
  first: Promise<JobEvent>;
  /** Passes the events on, and those that follow. Idempotent. */
  release: () => void;
}

/** Holds the events of a job that starts in this turn of the event loop. */
function holdEvents(id: number): HeldEvents {
  const own = listeners.get(id);
  const held: JobEvent[] = [];
  let isHeld = own !== undefined;
  const first = new Promise<JobEvent>((resolve) => {
    listeners.set(id, (event) => {
      held.push(event);
      resolve(event);
    });
  });
  const release = () => {
    if (!isHeld || own === undefined) return;
    isHeld = false;
    listeners.set(id, own);
    for (const event of held) own(event);
  };
  return { first, release };
}

/** Removes the listener of a finished job. */
function unregister(id: number): void {
  listeners.delete(id);
}

function deliver(events: JobEvent[], isMore: boolean): void {
  // The rest is scheduled first, so that an exception below can't lose it. `setImmediate` lets timers and
  // sockets run in between.
  if (isMore) setImmediate(takeMore);
  for (const event of events) listeners.get(event.id)?.(event);
}

function takeMore(): void {
  deliver(...(addonBinding().take() as [JobEvent[], boolean]));
}

/** Adds a job that keeps Node.js alive. */
function ref(): void {
  refs++;
  if (isRef) return;
  isRef = true;
  // With a double, the addon may have no command: its start then takes the reference.
  if (theDouble() === undefined) addonBinding().keepAlive(true);
  else binding?.keepAlive(true);
}

/** Removes a job that keeps Node.js alive. */
function unref(): void {
  // The reference is released after two rounds of microtasks, in which code that awaited this job often
  // starts the next one.
  if (--refs === 0) settled.then(() => settled.then(unrefAddon));
}

/**
 * A resolved promise. Its `then()` runs a function after the pending microtasks, and faster than
 * `queueMicrotask()`.
 */
const settled = Promise.resolve();

function unrefAddon(): void {
  if (refs > 0 || !isRef) return;
  isRef = false;
  binding?.keepAlive(false);
}

export { holdEvents, listen, ref, register, theBinding, unref, unregister };
