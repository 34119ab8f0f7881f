import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine, LineClient } from '../cli/support.js';
import { temporaryDirectory } from '../support/directory.js';
import { outputOf, readCast } from './cast.js';

describe('--record', () => {
  it('of agent-bash run writes a file, and changes neither the output nor the exit code', async () => {
    const file = join(temporaryDirectory(), 'x.cast');
    const { code, stdout, stderr } = await commandLine(['run', '--record', file, '--', 'echo hi; exit 2']);
    expect([code, stdout, stderr]).toEqual([2, 'hi\n', '']);
    expect(outputOf(file)).toBe('hi\r\n');
    expect(readCast(file).events.at(-1)?.[2]).toBe('2');
  });

  it('of agent-bash run leaves a file that exists, says so, and runs the command', async () => {
    const file = join(temporaryDirectory(), 'x.cast');
    await commandLine(['run', '--record', file, '--', 'true']);
    const { code, stdout, stderr } = await commandLine(['run', '--record', file, '--', 'echo hi']);
    expect([code, stdout]).toEqual([0, 'hi\n']);
    expect(stderr).toMatch(/x\.cast is not complete: EEXIST/);
  });

  it('of agent-bash mcp makes a directory with a file for each command', async () => {
    const directory = join(temporaryDirectory(), 'casts');
    const client = new LineClient('--mode', 'auto', '--record', `${directory}/`);
    await client.initialize();
    await client.answer(client.call('echo one'));
    await client.answer(client.call('echo two'));
    client.process.stdin?.end();
    await client.ended;
    const files = readdirSync(directory).sort();
    expect(files).toEqual(['0001-echo-one.cast', '0002-echo-two.cast']);
    expect(files.map((name) => outputOf(join(directory, name)))).toEqual(['one\r\n', 'two\r\n']);
  });

  it('of agent-bash mcp is refused where the file exists', async () => {
    const file = join(temporaryDirectory(), 'x.cast');
    await commandLine(['run', '--record', file, '--', 'true']);
    const { code, stderr } = await commandLine(['mcp', '--record', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`can't record to '${file}': EEXIST`);
  });
});
