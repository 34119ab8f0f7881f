import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bash } from '../../index.js';

const SIGCHLD = 17;

/** The names of our threads that take the signal of a child's end. */
function takers(): string[] {
  const tasks = readdirSync('/proc/self/task').map((id) => {
    const status = readFileSync(`/proc/self/task/${id}/status`, 'utf8');
    const [, name = ''] = /^Name:\s+(.*)$/m.exec(status) ?? [];
    const [, blocked = '0'] = /^SigBlk:\s+(\w+)$/m.exec(status) ?? [];
    return { name, isTaken: ((BigInt(`0x${blocked}`) >> BigInt(SIGCHLD - 1)) & 1n) === 0n };
  });
  return tasks
    .filter(({ name, isTaken }) => name.startsWith('agent-bash') && isTaken)
    .map(({ name }) => name);
}

describe.runIf(process.platform === 'linux')('the signal of a child’s end', () => {
  it('is taken by the threads that spawn, so that it does not wake JavaScript’s', async () => {
    await bash({ command: 'true' }, '/');
    expect(takers().length).toBeGreaterThan(0);
    expect(takers().every((name) => name.startsWith('agent-bash-sp'))).toBe(true);
  });
});
