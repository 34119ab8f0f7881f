import { killed } from '../lib/killing.mjs';

export const title = 'kill() to the end, one process';
export const metrics = ['ms', 'gapMs', 'left'];
export const rounds = 3;
export const limit = { kills: 10, command: 'echo up; sleep 600' };

export async function measure(load) {
  return killed(await load(), (time) => `echo up; sleep ${time}`);
}
