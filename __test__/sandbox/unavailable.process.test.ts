import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';
import { withoutNamespaces, workspace } from './support.js';

/** Ways to run a command, each with what it says of its failure. */
const WAYS = {
  'run()': `(await run(command, options)).error?.code`,
  'Jobs.start()': `(await new Jobs().start(command, options).result).error?.code`,
  'a terminal': `(await run(command, { ...options, pty: true })).error?.code`,
  'a session that keeps its process': `(await session('process')).error?.code`,
  'a session that keeps its state': `(await session('state')).error?.code`,
  BashJob: `(await new BashJob({ command }, root, false, { sandbox }).result).error.code`,
  'bash()': `(await bash({ command }, root, false, { sandbox }))`,
  'a tool': `(await createTool('bash', options).execute({ command })).text`,
};

/** Returns what each way says where no sandbox can be built. */
async function answers(root: string): Promise<Record<string, string>> {
  const program = join(temporaryDirectory(), 'program.mjs');
  const ways = Object.entries(WAYS).map(([name, code]) => `[${JSON.stringify(name)}, async () => ${code}]`);
  const tools = INDEX.replace('index.js', 'entry/tools.js');
  writeFileSync(
    program,
    `import { bash, BashJob, Jobs, run, ShellSession } from ${JSON.stringify(INDEX)};
    import { createTool } from ${JSON.stringify(tools)};
    const [root, sandbox, command] = [${JSON.stringify(root)}, 'workspace-write', 'echo x > ran'];
    const options = { root, sandbox };
    const session = (keep) => new ShellSession({ ...options, keep }).run(command);
    const answers = {};
    for (const [name, ask] of [${ways}]) answers[name] = await ask().catch((error) => error.code ?? error.message);
    console.log(JSON.stringify(answers));
    process.exit();`,
  );
  const { stdout, stderr } = await withoutNamespaces(`${process.execPath} ${program}`);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('a sandbox that this machine can not build', { tags: ['sandbox'] }, () => {
  it('lets no way to run a command run it', async () => {
    const { root } = workspace();
    const said = await answers(root);
    expect(Object.keys(said)).toEqual(Object.keys(WAYS));
    for (const [way, answer] of Object.entries(said)) {
      expect(answer, way).toMatch(/^SANDBOX_UNAVAILABLE$|can't be built .* The command did not run\.$/);
    }
    expect(readdirSync(root)).toEqual([]);
  });
});
