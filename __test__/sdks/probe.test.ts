import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('.', import.meta.url));

it('agent-bash probe names the SDKs of a project, with their versions', async () => {
  const flags = [`${HERE}node_modules/agent-bash/entry/cli.js`, 'probe', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: HERE });
  const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, 'utf8'));
  for (const { name, version } of JSON.parse(stdout).sdks)
    expect([name, version]).toEqual([name, dependencies[name]]);
});
