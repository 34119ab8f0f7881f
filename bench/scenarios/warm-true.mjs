import { COUNT, fewInARow, LOGIN_SHELL, PEERS } from '../lib/starting.mjs';

export const title = '`true` in a login shell, empty profile';
export const metrics = ['ms', 'callUs', 'gapMs'];
export const shell = LOGIN_SHELL;
export const peers = PEERS;
export const limit = { batches: COUNT, command: 'true' };

export async function measure(load) {
  return fewInARow(await load(), 1000);
}
