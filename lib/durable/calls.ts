// The calls about durable jobs that need no attachment.

import type { NativeDurable, NativeError } from '../addon/addon-types.ts';
import { extendDurable, findDurable, stopDurable, sweepDurable } from '../addon/native.ts';
import { answered } from '../addon/native-error.ts';
import type { DurableInfo } from './api.ts';
import { durableInfo } from './info.ts';

type Filter = Parameters<typeof findDurable>[1];

/** Returns the jobs of a directory, in the order of their starts. Removes what is too old first. */
async function find(directory: string, filter: Filter): Promise<DurableInfo[]> {
  const found = answered((await findDurable(directory, filter)) as NativeDurable[] | NativeError);
  return found.map(durableInfo);
}

/** Moves the end of the longest run. Returns it (ms since 1970). */
async function extend(directory: string, id: string, ms: number): Promise<number> {
  return answered((await extendDurable(directory, id, ms)) as number | NativeError);
}

/**
 * Ends a job: this signal, and SIGKILL after the grace (ms). Resolves when its supervisor has the request.
 */
async function stop(directory: string, id: string, signal: number, graceMs: number): Promise<void> {
  answered((await stopDurable(directory, id, signal, graceMs)) as number | NativeError);
}

/** Removes ended jobs that are too old or too many, and returns their number. */
async function sweep(directory: string): Promise<number> {
  return answered((await sweepDurable(directory)) as number | NativeError);
}

export { extend, find, stop, sweep };
