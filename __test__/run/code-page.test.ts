import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BashJob, type CodePage, Jobs, run } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';

/** Returns a command that writes these bytes. */
function writes(bytes: Iterable<number>): string {
  return `printf '${[...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`;
}

const LATIN = Buffer.from('Müller ½\n', 'latin1');

describe('output in another encoding than UTF-8', () => {
  it.each<[CodePage, number[], string]>([
    ['latin1', [0xe4, 0x80], 'ä\u0080'],
    ['windows-1252', [0xe4, 0x80, 0x92], 'ä€’'],
    ['windows-1251', [0xc4, 0xe0], 'Да'],
    ['cp437', [0x84, 0xe1, 0xff], 'äß\u00a0'],
    ['cp850', [0x84, 0xd0], 'äð'],
    ['cp866', [0x84, 0xa0], 'Да'],
    ['iso-8859-15', [0xa4], '€'],
    ['koi8-r', [0xe4, 0xc1], 'Да'],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b, 0xb1, 0x5c], '日本ｱ\\'],
    ['gbk', [0xd6, 0xd0, 0x80], '中€'],
    ['big5', [0xa4, 0xa4], '中'],
    ['euc-kr', [0xc7, 0xd1], '한'],
    ['utf-16le', [0x3d, 0xd8, 0x00, 0xde, 0x41, 0x00], '😀A'],
  ])('is text: %s', async (encoding, bytes, text) => {
    const { stdout } = await run(writes(bytes), { encoding });
    expect(stdout).toBe(text);
  });

  it('is text of both streams, whose sizes are those that the command wrote', async () => {
    const { stdout, stderr, totalBytes } = await run(`${writes(LATIN)}; ${writes(LATIN)} >&2`, {
      encoding: 'windows-1252',
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'Müller ½\n', stderr: 'Müller ½\n' });
    expect(totalBytes).toEqual({ stdout: LATIN.length, stderr: LATIN.length });
  });

  it('has no character that is cut between two chunks', async () => {
    const [first, second] = [writes([0x93]), writes([0xfa])];
    const jobs = new Jobs();
    const job = jobs.start(`echo ready; read line; ${first}; read line; ${second}`, {
      encoding: 'shift_jis',
      stdin: 'pipe',
    });
    job.write('\n\n');
    let text = '';
    for await (const chunk of job) text += chunk.text;
    expect(text).toBe('ready\n日');
    await jobs.dispose();
  });

  it('is UTF-8 in the file with all output, and in views', async () => {
    const directory = temporaryDirectory();
    await using result = await run(writes(LATIN), {
      encoding: 'latin1',
      output: { spill: { directory }, view: true },
    });
    expect(readFileSync(String(result.spillPath), 'utf8')).toBe('Müller ½\n');
    expect(result.view?.text).toContain('Müller ½');
  });

  it('is redacted by values in UTF-8', async () => {
    const { stdout } = await run(writes(LATIN), {
      encoding: 'latin1',
      redact: { values: { NAME: 'Müller ½' } },
    });
    expect(stdout).toBe('[redacted:NAME]\n');
  });

  it('is the answer of a BashJob', async () => {
    const job = new BashJob({ command: writes(LATIN) }, '/', false, { encoding: 'latin1' });
    expect((await job.result).output).toBe('Müller ½\n\n[Exit code: 0]');
  });

  it('ends with U+FFFD if its last character is cut', async () => {
    const { stdout } = await run(writes([0x41, 0x93]), { encoding: 'shift_jis' });
    expect(stdout).toBe('A\ufffd');
  });
});
