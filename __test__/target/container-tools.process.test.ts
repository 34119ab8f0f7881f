import { mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import { createTools, type Dialect, dialects, type PendingCall } from 'agent-bash/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, Target, type TargetOptions } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { argumentsOf } from '../tools/arguments.js';
import { importBusybox, PODMAN, podman } from './podman.js';

/** The dialects that keep a directory: in `codex-exec` each command is a job of its own. */
const KEEPING = dialects.filter((dialect) => dialect !== 'codex-exec');

describe('tools in a container of their own', { tags: ['podman'], timeout: 120_000 }, () => {
  const image = `localhost/agent-bash-tools-${process.pid}:1`;
  const target: TargetOptions = { container: { engine: PODMAN, image } };

  beforeAll(() => importBusybox(image, podman, ['/bin/bash']));
  afterAll(() => {
    podman('rmi', '-f', image);
  });

  function callerOf(dialect: Dialect, root: string, options: object = {}) {
    const toolset = createTools(dialect, { root, target, shell: '/bin/bash', ...options });
    const call = async (command: string) =>
      JSON.stringify(await toolset.tools[0]?.execute(argumentsOf(dialect, command)));
    return { call, [Symbol.asyncDispose]: () => toolset.dispose() };
  }

  function project(): string {
    const root = temporaryDirectory();
    mkdirSync(`${root}/sub`);
    return root;
  }

  it.each(KEEPING)('keep a directory of the project, and go back to it: %s', async (dialect) => {
    await using session = callerOf(dialect, project(), { session: 'cwd' });
    expect(await session.call('cd sub')).not.toContain('reset');
    expect(await session.call('pwd')).toContain('/workspace/sub');
    expect(await session.call('cd /tmp')).toContain('was reset to /workspace/sub');
    expect(await session.call('pwd')).toContain('/workspace/sub');
  });

  it('keep the directory of claude-code without further options', async () => {
    await using tools = createTools('claude-code', { root: project(), target });
    const bash = async (command: string) => (await tools.call('Bash', { command })).text;
    expect(await bash('cd sub; echo in')).toBe('in');
    expect(await bash('pwd')).toBe('/workspace/sub');
  });

  it('keep directories that are added by their paths here', async () => {
    const root = project();
    const options = { cwd: 'sub', additionalDirectories: [`${root}/other`] };
    mkdirSync(`${root}/other/below`, { recursive: true });
    await using session = callerOf('claude-code', root, options);
    await session.call('cd /workspace/other/below');
    expect(await session.call('pwd')).toContain('/workspace/other/below');
  });

  it('take a relative root for the workspace, and paths below it here', async () => {
    const root = project();
    const relativeRoot = `./${relative(process.cwd(), root)}/.`;
    const { stdout, cwd } = await run('pwd', {
      root: relativeRoot,
      cwd: `${process.cwd()}/${relative(process.cwd(), root)}/sub`,
      target,
    });
    expect({ stdout, cwd }).toEqual({ stdout: '/workspace/sub\n', cwd: '/workspace/sub' });
    await using session = callerOf('claude-code', relativeRoot);
    await session.call('cd sub');
    expect(await session.call('pwd')).toContain('/workspace/sub');
    const held = new Target({ container: { engine: PODMAN, image, workspace: root } });
    await expect(run('pwd', { root: 'elsewhere', target: held })).rejects.toThrow('a path in the workspace');
    await held.dispose();
  });

  it.each(['cwd', 'live', 'none'] as const)(
    'tell approve() the directory there: session %s',
    async (session) => {
      const root = project();
      const seen: (string | null)[] = [];
      const approve = ({ cwd }: PendingCall) => {
        seen.push(cwd);
        return 'allow' as const;
      };
      await using tools = createTools('bash', { root, target, session, approve });
      await tools.call('bash', { command: 'cd sub' });
      await tools.call('bash', { command: 'true' });
      await tools.call('bash', { command: 'true', cwd: `${root}/sub` });
      const second = session === 'none' ? '/workspace' : '/workspace/sub';
      expect(seen).toEqual(['/workspace', second, '/workspace/sub']);
    },
  );
});
