import { createTools } from 'agent-bash/tools';
import { expect, it } from 'vitest';
import { privateDirectoriesOf } from '../support/private-directories.js';

it('a session that keeps its state leaves no files behind', async () => {
  const toolset = createTools('anthropic-bash');
  await toolset.call('bash', { command: 'A=1' });
  expect(privateDirectoriesOf(process.pid)).not.toEqual([]);
  await toolset.dispose();
  expect(privateDirectoriesOf(process.pid)).toEqual([]);
});
