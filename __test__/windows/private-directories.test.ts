import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { INDEX, temporaryDirectory } from './support.ts';

/** Runs a command that is so long that its shell reads it from a private directory, and keeps it running. */
const HOST = `
  const { jobs } = require(${JSON.stringify(INDEX)});
  const job = jobs.start('x=' + 'a'.repeat(40000) + '; echo started; read -r line', { stdin: 'pipe' });
  job.on('data', (text) => process.stdout.write(text));
`;

/** Starts a host that has a private directory in `temp`. */
async function hostIn(temp: string): Promise<ChildProcess> {
  const env = { ...process.env, TEMP: temp, TMP: temp };
  const host = spawn(process.execPath, ['-e', HOST], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(host.stdout as NodeJS.ReadableStream, 'data');
  return host;
}

async function end(host: ChildProcess): Promise<void> {
  const exited = once(host, 'exit');
  host.kill('SIGKILL');
  await exited;
}

describe('private directories of two hosts with the same directory of temporary files', () => {
  it('stay while their host lives, and are removed after it was killed', async () => {
    const temp = temporaryDirectory();
    const first = await hostIn(temp);
    const [own = ''] = readdirSync(temp);
    const second = await hostIn(temp);
    const both = readdirSync(temp);
    expect(own).toMatch(/^agent-bash\./);
    expect(both).toHaveLength(2);
    expect(both).toContain(own);
    await end(first);
    const third = await hostIn(temp);
    await vi.waitFor(() => expect(readdirSync(temp)).not.toContain(own), { timeout: 30_000, interval: 50 });
    expect(readdirSync(temp)).toHaveLength(2);
    await end(second);
    await end(third);
  });
});
