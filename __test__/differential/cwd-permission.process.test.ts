import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { shell } from './oracle/plan.js';
import { temporaryDirectory } from './runner.js';

const root = temporaryDirectory();
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PROGRAM = `
  const { bash } = await import(process.argv[1])
  const [, , closed] = process.argv
  console.log(await bash({ command: 'true' }, closed, false))
  console.log(await bash({ command: 'ls' }, closed, true))
`;
/** Takes from root what lets it enter any directory. */
const WITHOUT_OVERRIDE = [
  '--bounding-set=-dac_override,-dac_read_search',
  '--inh-caps=-dac_override,-dac_read_search',
];

describe.runIf(process.platform === 'linux')('a workspace that may not be entered', () => {
  it('is reported by EACCES, also to root without its privileges', async () => {
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o600 });
    const node = [
      process.execPath,
      '--input-type=module',
      '-e',
      PROGRAM,
      join(__dirname, '../../index.js'),
      closed,
    ];
    const [file, ...args] = process.getuid?.() === 0 ? ['setpriv', ...WITHOUT_OVERRIDE, ...node] : node;
    const { stdout } = await promisify(execFile)(file, args);
    expect(stdout).toBe(
      `Error: Failed to launch process: spawn ${shell().program} EACCES\n` +
        'Error: Failed to launch process: spawn ls EACCES\n',
    );
  });
});
