import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Returns the rows of the doctor for a user: what is there, by the name of the row. */
function rowsFor(user: number): Map<string, string> {
  const as = ['--reuid', `${user}`, '--regid', `${user}`, '--clear-groups'];
  const { stdout } = spawnSync('setpriv', [...as, process.execPath, 'scripts/doctor.mjs'], {
    encoding: 'utf8',
  });
  const rows = stdout.matchAll(/^(ok|missing|as root) +(\S+)/gm);
  return new Map([...rows].map(([, state = '', name = '']) => [name, state]));
}

describe('npm run doctor', { tags: ['root', 'setpriv'] }, () => {
  it('calls nothing missing that only root can have', () => {
    expect(rowsFor(0).get('setpriv')).toBe('ok');
    expect(rowsFor(1000).get('setpriv')).toBe('as root');
    expect(rowsFor(1000).get('cgroup')).toBe('as root');
  });
});
