import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { workspace } from './support.js';

/**
 * Executes a program under a filter by which `unshare` fails with EPERM, as under Docker's default profile.
 */
const FILTERED = `
import ctypes, os, struct, sys
unshare = {'x86_64': 272, 'aarch64': 97}[os.uname().machine]
lines = [(0x20, 0, 0, 0), (0x15, 0, 1, unshare), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in lines))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(lines), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
set = lambda *words: libc.prctl(*[ctypes.c_ulong(word) for word in words])
assert set(38, 1, 0, 0, 0) == 0 and set(22, 2, ctypes.addressof(program), 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[1], sys.argv[1:])
`;

/** Runs a program that has `run`, `probe` and `options` under the filter, and returns what it reports. */
async function underFilter<T>(code: string): Promise<T> {
  const { root, sandbox } = workspace();
  const program = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(
    program,
    `import { probe, run } from ${JSON.stringify(INDEX)};
    const options = ${JSON.stringify({ root, sandbox })};
    console.log(JSON.stringify(await (async () => { ${code} })()));`,
  );
  const { stdout, stderr } = await run(['python3', '-c', FILTERED, process.execPath, program]);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const PROFILE = 'Start the container with `--security-opt seccomp=unconfined`';
const WEAKER = "ccept less with onUnavailable: 'weaker'";

describe.skipIf(process.platform !== 'linux')(
  'where seccomp forbids namespaces',
  { tags: ['python3'] },
  () => {
    it('the error of a command names the profile and the weaker form', async () => {
      const error = await underFilter<{ code: string; message: string }>(
        'return (await run("true", options)).error;',
      );
      expect(error.code).toBe('SANDBOX_UNAVAILABLE');
      expect(error.message).toContain(PROFILE);
      expect(error.message).toContain(WEAKER);
    });

    it('probe() names the profile and the weaker form', async () => {
      const level = await underFilter<object>("return (await probe()).sandbox['workspace-write'];");
      expect(level).toMatchObject({ available: false, mechanism: 'landlock' });
      expect(JSON.stringify(level)).toContain(PROFILE);
      expect(JSON.stringify(level)).toContain(WEAKER);
    });

    it('a command runs in the weaker form', async () => {
      const { stdout, sandbox } = await underFilter<{ stdout: string; sandbox: object }>(`
      options.sandbox.onUnavailable = 'weaker';
      return run('echo ran', options);`);
      expect(stdout).toBe('ran\n');
      expect(sandbox).toMatchObject({ mechanism: 'landlock' });
    });
  },
);
