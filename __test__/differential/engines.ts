import { bash } from '../../index.js';
import { type Engine, oracle } from './oracle.js';

/** The addon with its types taken off: the suite also calls it as no typed caller could. */
export const addon = bash as unknown as Engine;

export const engines: Array<[name: string, engine: Engine]> = [
  ['the oracle', oracle],
  ['the addon', addon],
];
