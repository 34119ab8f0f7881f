import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { run } from 'agent-bash';
import { withShell } from 'agent-bash/testing';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

describe('a recorded command whose sandbox asks and has sockets', { tags: ['sandbox', 'curl'] }, () => {
  it('asks while it is recorded, and is replayed on another machine without a question', async () => {
    // Not below /tmp, which is private to the sandbox.
    const root = mkdtempSync('/var/tmp/agent-bash-test-');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true, force: true });
    });
    const onConnect = vi.fn(() => 'no' as const);
    const network = { allow: [], onConnect };
    const sandbox = { level: 'workspace-write', sockets: ['docker'], network } as const;
    const options = { root, sandbox, policy: { mode: 'default', allow: ['Bash'] } } as const;
    const both = async (mode: 'record' | 'replay') => {
      vi.stubEnv('CI', undefined);
      const socket = join(root, mode);
      vi.stubEnv('DOCKER_HOST', `unix://${socket}`);
      const server = createServer();
      if (mode === 'record') await new Promise<void>((listening) => server.listen(socket, listening));
      const file = join(root, 'cassette.json');
      const texts = await withShell('a section', { file, mode }, async () => {
        const { stdout } = await run('curl -s http://evil.example/', options);
        const toolset = createTools('bash', options);
        const { text } = await toolset.call('bash', { command: 'echo tool' });
        await toolset.dispose();
        return [stdout, text];
      });
      server.close();
      return texts;
    };
    const recorded = await both('record');
    expect(recorded[0]).toContain('declined');
    expect(onConnect).toHaveBeenCalledTimes(1);
    expect(await both('replay')).toEqual(recorded);
    expect(onConnect).toHaveBeenCalledTimes(1);
  });
});
