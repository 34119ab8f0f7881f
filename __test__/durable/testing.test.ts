import { Jobs } from 'agent-bash';
import { withShell } from 'agent-bash/testing';
import { expect, it } from 'vitest';
import { durableDirectory } from './support.js';

it('is no part of a test with fakes, which says so', async () => {
  const directory = durableDirectory();
  await withShell('durable', { mode: 'fakes' }, async (shell) => {
    shell.fake('true', '');
    const jobs = new Jobs({ durable: { directory } });
    expect(() => jobs.start('true')).toThrow(expect.objectContaining({ code: 'ERR_FEATURE_UNAVAILABLE' }));
    await expect(jobs.ensure('dev', 'true')).rejects.toThrow("use mode: 'live'");
  });
});

it('runs in a test with real commands', async () => {
  const directory = durableDirectory();
  await withShell('durable', { mode: 'live' }, async () => {
    const jobs = new Jobs({ durable: { directory } });
    const { stdout, durable } = await jobs.start('echo real').result;
    expect({ stdout, cause: durable?.end?.cause }).toEqual({ stdout: 'real\n', cause: 'exit' });
  });
});
