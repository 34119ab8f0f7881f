import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { User } from './install/support/commands.js';
import { ADDON_PACKAGE, placePackage } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

// Node.js stands in for Electron, as Electron's `ELECTRON_RUN_AS_NODE` is Node.js with these properties.
// That the addon imports no function that Electron refuses is checked by `binary.process.test.ts`.
const AS_ELECTRON = `
  Object.defineProperty(process.versions, 'electron', { value: '41.0.0', enumerable: true });
  Object.defineProperty(process, 'type', { value: process.env.PROCESS_TYPE, enumerable: true });
  Object.defineProperty(process, 'resourcesPath', { value: process.cwd(), enumerable: true });
`;

const COMMANDS = `
  const { run, BashJob, ShellSession, diagnostics } = require('agent-bash');
  async function answers() {
    const { stdout, stderr, exitCode } = await run('echo out; echo err >&2; exit 3');
    const job = new BashJob({ command: 'echo streamed' }, process.cwd());
    let streamed = '';
    job.on('data', (text) => { streamed += text; });
    await new Promise((resolve) => job.on('exit', resolve));
    const session = new ShellSession({ root: process.cwd() });
    await session.run('x=kept');
    const kept = (await session.run('echo $x')).stdout;
    await session.close();
    return { stdout, stderr, exitCode, streamed, kept, guardian: diagnostics().guardian.error };
  }
`;
const ANSWERS = {
  stdout: 'out\n',
  stderr: 'err\n',
  exitCode: 3,
  streamed: 'streamed\n',
  kept: 'kept\n',
  guardian: null,
};

describe('an application of Electron, whose addon is unpacked', () => {
  const directory = temporaryDirectory();
  const user = new User(directory);

  /** The `resources` of an application: `app.asar`, and `app.asar.unpacked` with the addon alone. */
  function resources(): string {
    const place = mkdtempSync(join(directory, 'resources-'));
    const archive = join(place, 'app.asar');
    mkdirSync(archive);
    placePackage(archive);
    const unpacked = join(place, 'app.asar.unpacked/node_modules');
    mkdirSync(unpacked, { recursive: true });
    renameSync(join(archive, 'node_modules', ADDON_PACKAGE), join(unpacked, ADDON_PACKAGE));
    writeFileSync(join(place, 'as-electron.cjs'), AS_ELECTRON);
    const main = `${COMMANDS}
      answers().then((all) => console.log(JSON.stringify(all)));`;
    writeFileSync(join(archive, 'main.cjs'), main);
    const worker = `new (require('node:worker_threads').Worker)(require.resolve('./main.cjs'));`;
    writeFileSync(join(archive, 'worker.cjs'), worker);
    return place;
  }

  it.each([
    ['the main process', 'browser', 'main.cjs'],
    ['a utility process', 'utility', 'main.cjs'],
    ['a renderer with nodeIntegration', 'renderer', 'main.cjs'],
    ['a worker of the main process', 'browser', 'worker.cjs'],
  ])('runs commands, jobs and sessions in %s', async (_, type, program) => {
    const place = resources();
    const output = await user
      .with({ PROCESS_TYPE: type })
      .node(place, '--require', './as-electron.cjs', join(place, 'app.asar', program));
    expect(JSON.parse(output)).toEqual(ANSWERS);
  });
});
