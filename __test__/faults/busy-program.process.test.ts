import { closeSync, copyFileSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

describe('a program that is open for writing', () => {
  const directory = temporaryDirectory();

  /** A program of our own, and a descriptor by which it could be written. */
  function busy(name: string) {
    const program = join(directory, name);
    copyFileSync('/bin/true', program);
    return { program, descriptor: openSync(program, 'r+') };
  }

  it('for a moment only is run', async () => {
    const { program, descriptor } = busy('moment');
    // Holds the file open for writing, as a child of another thread does that has not executed yet.
    setTimeout(() => closeSync(descriptor), 20);
    expect(await run([program])).toMatchObject({ status: 'exited', exitCode: 0 });
  });

  it('for longer is an error', async () => {
    const { program, descriptor } = busy('longer');
    try {
      const { status, error } = await run([program]);
      expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'ETXTBSY' });
    } finally {
      closeSync(descriptor);
    }
  });
});
