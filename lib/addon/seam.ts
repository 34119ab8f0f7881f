// The seam at which `agent-bash/testing` puts a double in the place of the addon: a test that imports it sets
// a property of `process`, which all copies of this package in a thread share.

import { existsSync, readFileSync } from 'node:fs';
import type * as Native from '../../native.js';
import { codedError } from '../support/coded-error.ts';
import type { Binding, JobEvent } from './addon-types.ts';

/** A stand-in for the addon during a test. Each part is asked at each use. */
export interface Double {
  /** The version of the seam, and of the package that made the double. */
  seam: number;
  version: string;
  /** Returns the binding that takes the calls of one copy of this package. */
  binding(link: BindingLink): Binding;
  /** Returns the timers of the current test; `undefined` for real ones. */
  timers(): Timers | undefined;
  /** Returns what a command wrote to a file that it shares with this package. */
  readSharedFile(path: string, read: () => string | undefined): string | undefined;
  /** Returns an overlay. `create` makes the addon's. */
  overlay(create: () => Native.NativeOverlay): Native.NativeOverlay;
  /** Answers a call of the addon where there is none. */
  absent(name: string, given: unknown[], failure: Error): unknown;
  /** Answers a question that runs nothing. `own` asks the addon; where there is none, it is the error. */
  ask(name: string, given: unknown[], own: ((...given: unknown[]) => unknown) | Error): unknown;
}

/** The access to one copy of this package: its own addon, and the listeners of its jobs. */
export interface BindingLink {
  /** Returns the addon's binding; throws where there is no addon. */
  addon: () => Binding;
  /** id -> the listener of the job's events. */
  listeners: Map<number, (event: JobEvent) => void>;
}

export interface Timers {
  /** Returns a monotonic time (ms). */
  now(): number;
  /** Returns the time since 1970 (ms). */
  wallNow(): number;
  setTimeout(act: () => void, ms: number): CancelableTimer;
}

/** A timer of a double, which stands for one of Node.js. */
export interface CancelableTimer {
  cancel(): void;
}

const KEY: symbol = Symbol.for('agent-bash.double');

/**
 * The version of what the two sides of the seam expect of each other: both belong to one version of the
 * package.
 */
export const SEAM_VERSION = 3;

/** The variable, and the key of a worker's environment data, by which the child of a test finds its plan. */
export const CHILD = 'AGENT_BASH_TESTING';

/** The part of a child's plan that counts here. */
interface Inherited {
  /** The file of the test's copy of this package that answers the commands. */
  load: string;
  name: string;
}

/** The plan of the test whose child this thread is, until its first command. */
let inherited = takeInherited();

function takeInherited(): Inherited | undefined {
  const path = process.env[CHILD];
  if (path !== undefined) return takePlan(path);
  // Node.js marks so what a worker lacks; `node:worker_threads` would take the main thread 0.5 ms to load.
  const isWorker = (process.abort as { disabled?: boolean } | undefined)?.disabled === true;
  if (!isWorker) return undefined;
  const { getEnvironmentData } = require('node:worker_threads') as typeof import('node:worker_threads');
  return getEnvironmentData(CHILD) as unknown as Inherited | undefined;
}

/** Takes the plan of a process, which is for no process that this one starts, but for its workers. */
function takePlan(path: string): Inherited {
  delete process.env[CHILD];
  if (!existsSync(path)) {
    const message = `${CHILD} is set by a test that is over: start this process before the end of the test`;
    throw codedError('TESTING_OVER', message);
  }
  const plan = JSON.parse(readFileSync(path, 'utf8'));
  const { setEnvironmentData } = require('node:worker_threads') as typeof import('node:worker_threads');
  setEnvironmentData(CHILD, { ...plan, name: `${plan.name}-worker` });
  return plan;
}

/** Makes this thread a child of a test, by the copy of the package that the test has. */
function joinTest(plan: Inherited): void {
  const { createRequire } = require('node:module') as typeof import('node:module');
  createRequire(plan.load)(plan.load).joinTest(plan);
}

/**
 * Returns the double, if a test has put one in the place of the addon.
 *
 * @throws for the double of another version, which knows other calls
 */
export function theDouble(): Double | undefined {
  if (inherited !== undefined) {
    const plan = inherited;
    inherited = undefined;
    joinTest(plan);
  }
  const double = Reflect.get(process, KEY) as Double | undefined;
  if (double === undefined || double.seam === SEAM_VERSION) return double;
  const message =
    `agent-bash/testing is of another version than agent-bash (${double.version}): ` +
    'remove one of the two copies, as npm ls agent-bash shows them';
  throw codedError('TESTING_VERSION', message);
}

/** Puts a double in the place of the addon, or removes it. */
export function putDouble(double: Double | undefined): void {
  Reflect.set(process, KEY, double);
}
