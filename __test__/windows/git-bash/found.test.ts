import { describe, expect, it } from 'vitest';
import { run } from '../../../index.js';

const NOWHERE = String.raw`C:\nothing`;
/** The variables of the usual places. */
const PLACES = { ProgramFiles: NOWHERE, 'ProgramFiles(x86)': NOWHERE, LOCALAPPDATA: NOWHERE };

describe('Git Bash', () => {
  it.each(['cmd', String.raw`mingw64\bin`, 'bin'])(
    'is found by the git.exe on PATH, in %s',
    async (place) => {
      const PATH = `${NOWHERE};${String.raw`C:\Program Files\Git`}\\${place}`;
      const { stdout } = await run('echo $MSYSTEM; command -v git', { env: { ...PLACES, PATH } });
      expect(stdout).toMatch(/^MINGW64\n\/mingw64\/bin\/git\n$/);
    },
  );

  it('is the shell also by the name sh, and by the path of its wrapper', async () => {
    for (const shell of ['sh', String.raw`C:\Program Files\Git\bin\sh.exe`]) {
      expect((await run('echo $MSYSTEM', { shell })).stdout).toBe('MINGW64\n');
    }
  });

  it.each(['bash', 'sh', '/bin/bash', '/usr/bin/sh'])(
    'is the program that a model calls by the name it has on Unix: %s',
    async (program) => {
      const { stdout } = await run([program, '-c', 'echo $MSYSTEM "$0" "$1"', 'name', 'a\\b"c']);
      expect(stdout).toBe('MINGW64 name a\\b"c\n');
    },
  );
});
