import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withShell } from 'agent-bash/testing';
import { expect, it } from 'vitest';
import { User } from '../install/support/commands.js';
import { ADDON_PACKAGE, placePackage } from '../install/support/repository.js';
import { temporaryDirectory } from '../support/directory.js';
import { CASES } from './support/commands.js';
import { plain } from './support/plain.js';

const project = temporaryDirectory();
/** Where the commands work: outside of the root, which is the working directory. */
const workplace = temporaryDirectory();
const { main } = placePackage(project);
rmSync(join(project, 'node_modules', ADDON_PACKAGE), { recursive: true });

/** Replays all CASES in a process that believes to be on another system, and prints what they give. */
const PROGRAM = `
  Object.defineProperties(process, { platform: { value: process.argv[3] } });
  const { withShell } = await import('agent-bash/testing');
  const { CASES } = await import('./commands.mjs');
  const { plain } = await import('./plain.mjs');
  const all = {};
  for (const [name, act] of CASES) {
    if (!NAMES.includes(name)) continue;
    try {
      const options = { file: process.argv[1], mode: 'replay' };
      all[name] = plain(await withShell(name, options, () => act(process.argv[2])));
    } catch (error) {
      all[name] = String(error?.message);
    }
  }
  console.log(JSON.stringify(all));
`;

it('what was recorded is replayed without the addon, on another system', async () => {
  const ts = createRequire(import.meta.url)('typescript') as typeof import('typescript');
  for (const name of ['commands', 'plain']) {
    const source = readFileSync(new URL(`support/${name}.ts`, import.meta.url), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(project, `${name}.mjs`), outputText.replace("'../../../index.js'", "'agent-bash'"));
  }
  const file = join(project, 'all.json');
  const recorded: Record<string, unknown> = {};
  for (const [name, act] of CASES) {
    recorded[name] = plain(await withShell(name, { file, mode: 'record' }, () => act(workplace)));
  }
  const program = PROGRAM.replace('NAMES', JSON.stringify(CASES.map(([name]) => name)));
  expect(main).toContain(project);
  for (const platform of ['win32', 'darwin']) {
    const words = ['--input-type=module', '-e', program, file, workplace, platform];
    const printed = await new User(project).node(project, ...words);
    const replayed = JSON.parse(printed) as Record<string, unknown>;
    for (const [name] of CASES) {
      // The other process has its own working directory.
      const here = JSON.stringify(recorded[name]).replaceAll(process.cwd(), project);
      expect(replayed[name], name).toEqual(JSON.parse(here));
    }
  }
}, 120_000);
