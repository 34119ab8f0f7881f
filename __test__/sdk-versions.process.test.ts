import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { User } from './install/support/commands.js';
import { placePackage } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

const directory = temporaryDirectory();
const user = new User(directory);

/** Calls an adapter beside an SDK of a version. Returns the error, or `works`. */
async function complaint(name: string, version: string, program: string): Promise<string> {
  const project = mkdtempSync(join(directory, 'project-'));
  placePackage(project);
  const sdk = join(project, 'node_modules', name);
  mkdirSync(sdk, { recursive: true });
  const exports = { './messages': './part.cjs', './tools': './part.cjs' };
  writeFileSync(join(sdk, 'package.json'), JSON.stringify({ name, version, exports }));
  writeFileSync(join(sdk, 'part.cjs'), 'exports.ToolMessage = exports.DynamicStructuredTool = class {};');
  const call = `(async () => ${program})()`;
  const print = "then(() => console.log('works'), ({ code, message }) => console.log(code, message))";
  return (await user.node(project, '-e', `${call}.${print}`)).trim();
}

const TOOLS = "require('agent-bash/tools').createTools('bash')";

describe('an adapter', () => {
  it.each([
    ['ai', '4.3.19', '5.0.11', 'aiTools()', `require('agent-bash/ai-sdk').aiTools(${TOOLS})`],
    ['ai', '5.0.10', '5.0.11', 'aiTools()', `require('agent-bash/ai-sdk').aiTools(${TOOLS})`],
    ['ai', '5.9.0', '6.0.0', "The tool 'openai.shell'", "require('agent-bash/ai-sdk').openaiShell()"],
    [
      '@langchain/core',
      '0.2.36',
      '0.3.0',
      'langchainTools()',
      `require('agent-bash/langchain').langchainTools(${TOOLS})`,
    ],
    ['@anthropic-ai/sdk', '0.92.1', '0.93.0', 'bashTool()', "require('agent-bash/anthropic').bashTool()"],
  ])('says that it needs a newer %s than %s', async (name, version, least, what, program) => {
    const message = await complaint(name, version, program);
    expect(message).toBe(`SDK_VERSION ${what} needs ${name} ${least} or newer, and ${version} is installed`);
    expect(await complaint(name, least, program)).toBe('works');
    expect(await complaint(name, '99.0.0-beta.1', program)).toBe('works');
  });

  it('works beside any openai, whose classes it does not need', async () => {
    const program = `require('agent-bash/openai').responsesTools(${TOOLS})`;
    expect(await complaint('openai', '3.0.0', program)).toBe('works');
  });

  it('asks no other SDK for its version: Mastra has tools of its own', async () => {
    const program = `require('agent-bash/ai-sdk').mastraTools(${TOOLS})`;
    expect(await complaint('ai', '4.0.0', program)).toBe('works');
  });
});
