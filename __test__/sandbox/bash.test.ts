import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BashJob, type BashOptions, bash } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { workspace } from './support.js';

describe('bash() and BashJob in a sandbox', { tags: ['sandbox'] }, () => {
  it('write in their workspace alone', async () => {
    const { root, sandbox } = workspace();
    const outside = join(temporaryDirectory(), 'outside');
    const command = `echo in > inside; cat inside; echo x > ${outside}`;
    const answer = await bash({ command }, root, false, { sandbox });
    expect(answer).toMatch(/^in\n/);
    expect(answer).toContain('[Exit code: 1]');
    const result = await new BashJob({ command }, root, false, { sandbox }).result;
    expect(result.output).toBe(answer);
    expect(result.sandbox).toMatchObject({ level: 'workspace-write', missing: [] });
    expect(existsSync(outside)).toBe(false);
  });

  it('answer as without one, byte for byte', async () => {
    const { root, sandbox } = workspace();
    const commands = [
      { command: 'echo out; echo err >&2; exit 3' },
      { cmd: 'printf "no line break"' },
      { command: 'kill -9 $$' },
      { command: 'yes | head -c 200000' },
      { command: 'ulimit -a' },
      { command: 'no-such-program' },
      { command: '' },
    ];
    for (const args of commands) {
      expect(await bash(args, root, false, { sandbox })).toBe(await bash(args, root));
    }
    expect(await bash({ command: 'git --version' }, root, true, { sandbox })).toBe(
      await bash({ command: 'git --version' }, root, true),
    );
  });

  it('have none by default', async () => {
    const { root } = workspace();
    const { output, sandbox } = await new BashJob({ command: 'echo "$AGENT_BASH_SANDBOX"' }, root).result;
    expect([output, sandbox]).toEqual(['\n\n[Exit code: 0]', null]);
  });

  it('run nothing if the sandbox is none', async () => {
    const { root } = workspace();
    const sandbox = { level: 'workspace-write', writable: ['no-such'] } as const;
    const message = `'${join(root, 'no-such')}' of sandbox.writable does not exist.`;
    const args = { command: 'echo x > file' };
    expect(await bash(args, root, false, { sandbox })).toBe(`Error: Failed to launch process: ${message}`);
    const { status, error } = await new BashJob(args, root, false, { sandbox }).result;
    expect([status, error]).toEqual(['failed', { code: 'SANDBOX_PATH', message }]);
    expect(existsSync(join(root, 'file'))).toBe(false);
  });

  it('name a wrong option: bash() in its answer, BashJob by an error', async () => {
    const { root } = workspace();
    const options = { sandbox: 'all' } as unknown as BashOptions;
    const message = "Invalid option 'options.sandbox': unknown variant `all`";
    expect(await bash({ command: 'true' }, root, false, options)).toContain(`Error: ${message}`);
    expect(() => new BashJob({ command: 'true' }, root, false, options)).toThrow(message);
    expect(await bash({ command: 'true' }, root, false, { timeout: 1 } as object)).toContain(
      "Error: Invalid option 'options.timeout': unknown",
    );
    expect(await bash({ command: 'true' }, '/', false, { sandbox: 'read-only' })).toContain(
      "Error: Invalid option 'options.root': '/' can't be the workspace",
    );
  });

  it('have a terminal', async () => {
    const { root, sandbox } = workspace();
    const job = new BashJob({ command: 'tty; [ -t 1 ] && echo yes' }, root, false, { sandbox, pty: true });
    expect((await job.result).stdout).toBe('/dev/console\r\nyes\r\n');
  });
});
