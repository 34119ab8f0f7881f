import { COUNT, fewInARow, LOGIN_SHELL, PEERS } from '../lib/starting.mjs';

export const title = '`true` in a login shell, heavy profile';
export const metrics = ['ms', 'callUs', 'gapMs'];
export const rounds = 3;
export const shell = LOGIN_SHELL;
export const peers = PEERS;
export const limit = { batches: COUNT, command: 'true' };

/** A profile of about 100 ms, as of a version manager that runs some programs. */
export const profile = `for i in $(seq 40); do word=$(printf word | cat); done\n`;

/** Shells of one kind start one after another: the time until all of them have read the profile. */
export async function measure(load) {
  return fewInARow(await load(), 3000);
}
