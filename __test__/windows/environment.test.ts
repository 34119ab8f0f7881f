import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { node } from './support.ts';

const variable = async (name: string, env: Record<string, string | undefined>) => {
  const { stdout } = await run(node(`process.stdout.write(JSON.stringify(process.env.${name} ?? null))`), {
    env,
  });
  return JSON.parse(stdout);
};

describe('the environment on Windows', () => {
  it('has the variables of Node.js', async () => {
    expect(await variable('SystemRoot', {})).toBe(process.env.SystemRoot);
  });

  it('has the variables of the call', async () => {
    expect(await variable('OWN', { OWN: 'grüße 日本' })).toBe('grüße 日本');
  });

  it('has what Node.js gives to each process, also when nothing is inherited', async () => {
    const env = { Temp: 'C:\\own', SystemRoot: undefined, WINEPREFIX: process.env.WINEPREFIX };
    const words = node('console.log(JSON.stringify(process.env))');
    const expected = JSON.parse(
      spawnSync(process.execPath, words.slice(1), { env, encoding: 'utf8' }).stdout,
    );
    const { stdout } = await run(words, { env, extendEnv: false });
    expect(JSON.parse(stdout)).toEqual(expected);
    expect(expected).toMatchObject({ USERPROFILE: process.env.USERPROFILE, Temp: 'C:\\own' });
  });

  it('takes names in any case', async () => {
    process.env.Agent_Bash_Case = 'of Node.js';
    expect(await variable('AGENT_BASH_CASE', { agent_bash_case: 'of the call' })).toBe('of the call');
    delete process.env.Agent_Bash_Case;
  });

  it('loses a variable that is undefined, in any case', async () => {
    expect(await variable('OWN', { OWN: 'a', own: undefined })).toBeNull();
  });
});
