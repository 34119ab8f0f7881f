import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { INDEX, NodeProcess } from '../support/node.js';

const TOOLS = createRequire(INDEX).resolve('agent-bash/tools');

it('the disposal of a toolset settles, although its jobs in the table of another do not keep Node.js alive', async () => {
  const program = new NodeProcess(`
    const { Jobs } = await import(${JSON.stringify(INDEX)});
    const { createTools } = await import(${JSON.stringify(TOOLS)});
    const toolset = createTools('bash', { jobs: new Jobs() });
    await toolset.call('bash', { command: 'sleep 99', background: true });
    await toolset.dispose();
    console.log('disposed');
  `);
  expect(await program.ended).toMatchObject({ code: 0, stdout: 'disposed\n' });
});
