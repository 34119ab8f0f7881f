import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';
import { INDEX } from './support/node.js';

/** Runs one command in a host with this `AGENT_BASH_LOG`, and returns the lines of its standard error. */
async function logged(
  level: string | undefined,
  command: string | string[],
  { options = {}, secrets = {} }: { options?: object; secrets?: NodeJS.ProcessEnv } = {},
): Promise<{ pid: number; lines: string[] }> {
  const program = `
    const { run } = require(${JSON.stringify(INDEX)});
    run(${JSON.stringify(command)}, ${JSON.stringify(options)}).then(({ pid }) => console.log(pid));
  `;
  const { AGENT_BASH_LOG: _, ...env } = { ...process.env, ...secrets };
  const own = level === undefined ? env : { ...env, AGENT_BASH_LOG: level };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', program], { env: own });
  return { pid: Number(stdout), lines: stderr.trim().split('\n') };
}

describe('AGENT_BASH_LOG', () => {
  it('follows one command through its life at the level debug', async () => {
    const { pid, lines } = await logged('debug', 'exit 3');
    const own = lines.filter((line) => line.includes(`pid=${pid} `));
    const found = ['spawned', 'leader exited', 'job over'].map((event) =>
      own.findIndex((line) => line.includes(event)),
    );
    expect(found.every((index) => index >= 0)).toBe(true);
    expect(found).toEqual([...found].sort((first, second) => first - second));
    expect(own.find((line) => line.includes('leader exited'))).toContain('Code(3)');
  });

  it('names the variables that a command was not given, and never tells their values', async () => {
    const { lines } = await logged('debug', 'true', {
      options: { environment: { inherit: 'safe' } },
      secrets: { OPENAI_API_KEY: 'hunter2' },
    });
    const own = lines.filter((line) => line.includes('OPENAI_API_KEY'));
    expect(own).not.toEqual([]);
    expect(lines.join('\n')).not.toContain('hunter2');
  });

  it.each(['runs', 'is missing'])('shows no secret value in the path of a program that %s', async (what) => {
    const path = join(temporaryDirectory(), 'hunter2-long');
    if (what === 'runs') copyFileSync('/bin/true', path);
    const command = [path, 'hunter2-long'];
    const redact = { values: { KEY: 'hunter2-long' } };
    expect((await logged('debug', command)).lines.join('\n')).toContain('hunter2-long');
    const { lines } = await logged('debug', command, { options: { redact } });
    expect(lines.join('\n')).toContain('[redacted:KEY]');
    expect(lines.join('\n')).not.toContain('hunter2-long');
  });

  it('writes nothing where it is not set', async () => {
    expect((await logged(undefined, 'exit 3')).lines).toEqual(['']);
  });

  it('is answered with a warning when there is no such level', async () => {
    const { lines } = await logged('loud', 'true');
    expect(lines.join('\n')).toContain("AGENT_BASH_LOG: there is no level 'loud'");
  });
});
