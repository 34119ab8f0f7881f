import { SHELL_OF_BASH } from '../lib/shell.mjs';
import { oneAfterAnother } from '../lib/work.mjs';

export const title = 'one `true` after another by bash()';
export const metrics = ['ms', 'cpuEachMs', 'callUs', 'gapMs'];
export const shell = SHELL_OF_BASH;
export const peers = ['agent-bash', 'agent-bash-run', 'child-process', 'bun-spawn'];
export const limit = { batches: 150, command: 'true' };

export async function measure(load) {
  return oneAfterAnother(await load(), 150);
}
