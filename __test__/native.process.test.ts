import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { User } from './install/support/commands.js';
import { ADDON, ADDON_PACKAGE, placePackage } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

interface Failure {
  code?: string;
  message: string;
  /** The messages of the error's cause, of the cause of that, and so on. */
  causes: string[];
}

const PRINT = `
  const print = (error) => {
    const causes = [];
    for (let { cause } = error; cause; cause = cause.cause) causes.push(cause.message);
    console.log(JSON.stringify({ code: error.code, message: error.message, causes }));
  };
`;
/** The import never fails: the first command does. */
const WAYS = {
  'require()': `${PRINT} require('agent-bash').run('true').then(() => print({ message: 'loaded' }), print)`,
  import: `${PRINT} import('agent-bash').then(({ run }) => {
    run('true').then(() => print({ message: 'loaded' }), print);
  })`,
};
const LOADED = { message: 'loaded', causes: [] };

describe.each(Object.entries(WAYS))('an addon, loaded by %s,', (_, program) => {
  const directory = temporaryDirectory();
  const user = new User(directory);
  let project = '';
  let addon = '';

  beforeEach(() => {
    project = mkdtempSync(join(directory, 'project-'));
    addon = placePackage(project).addon;
  });

  async function load({
    env = {},
    flags = [],
  }: {
    env?: NodeJS.ProcessEnv;
    flags?: string[];
  } = {}): Promise<Failure> {
    return JSON.parse(await user.with(env).node(project, ...flags, '-e', program));
  }

  /** Node's flags for a process that believes to be elsewhere. */
  function elsewhere(platform: string, arch: string): string[] {
    const file = join(project, 'elsewhere.cjs');
    writeFileSync(
      file,
      `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } });`,
    );
    return ['--require', file];
  }

  it('that is there loads', async () => {
    expect(await load()).toEqual(LOADED);
  });

  it('whose package is missing: one sentence says which, and what to do, and there is one cause', async () => {
    rmSync(join(project, 'node_modules', ADDON_PACKAGE), { recursive: true });
    const { code, message, causes } = await load();
    expect(code).toBe('ADDON_MISSING');
    expect(message).toContain(`the package ${ADDON_PACKAGE} is not installed`);
    expect(message).toContain('install without --omit=optional');
    expect(message).not.toContain('\n');
    expect(causes).toEqual([expect.stringContaining(`Cannot find module '${ADDON_PACKAGE}'`)]);
  });

  it('that is missing in its package is named', async () => {
    rmSync(addon);
    const { code, message, causes } = await load();
    expect(code).toBe('ADDON_MISSING');
    expect(message).toContain(ADDON_PACKAGE);
    expect(message).not.toContain('undefined');
    expect(causes).toEqual([expect.stringContaining(ADDON)]);
  });

  it('that is something else: the words of the system say so', async () => {
    writeFileSync(addon, 'no addon '.repeat(1000));
    const { code, message, causes } = await load();
    expect(code).toBe('ADDON_NOT_LOADED');
    expect(causes).toHaveLength(1);
    expect(message).toContain("agent-bash can't load its addon: ");
    expect(message).toContain(causes[0]);
    expect(message).toContain(addon);
  });

  it.runIf(process.platform === 'linux')('for another machine is not loaded', async () => {
    const file = readFileSync(addon);
    // `e_machine` of the ELF header: a PDP-11.
    file.writeUInt16LE(65, 18);
    writeFileSync(addon, file);
    const { code, causes } = await load();
    expect(code).toBe('ADDON_NOT_LOADED');
    expect(causes).toEqual([expect.stringContaining(addon)]);
  });

  it.each([
    ['win32', 'ia32'],
    ['freebsd', 'x64'],
    ['linux', 'arm'],
    ['linux', 'riscv64'],
    ['darwin', 'ia32'],
    ['android', 'arm64'],
  ])('is not looked for on %s %s', async (platform, arch) => {
    const { code, message, causes } = await load({ flags: elsewhere(platform, arch) });
    expect(code).toBe('UNSUPPORTED_PLATFORM');
    expect(message).toContain(`no build for ${platform} ${arch}`);
    expect(message).toContain('it runs on Linux, macOS and Windows, x64 and arm64');
    expect(causes).toEqual([]);
  });

  it.each([
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['win32', 'arm64'],
    ['win32', 'x64'],
    ['linux', process.arch === 'x64' ? 'arm64' : 'x64'],
  ])('of another platform that has one is named: %s %s', async (platform, arch) => {
    const { code, message } = await load({ flags: elsewhere(platform, arch) });
    expect(code).toBe('ADDON_MISSING');
    expect(message).toContain(`the package agent-bash-${platform}-${arch}`);
  });

  it('that NAPI_RS_NATIVE_LIBRARY_PATH names is taken, also where there is none', async () => {
    const own = join(project, 'own.node');
    writeFileSync(own, readFileSync(addon));
    rmSync(join(project, 'node_modules', ADDON_PACKAGE), { recursive: true });
    const env = { NAPI_RS_NATIVE_LIBRARY_PATH: own };
    expect(await load({ env })).toEqual(LOADED);
    expect(await load({ env, flags: elsewhere('linux', 'mips') })).toEqual(LOADED);
  });

  it('that NAPI_RS_NATIVE_LIBRARY_PATH names and that is not there is what fails', async () => {
    const { code, causes } = await load({ env: { NAPI_RS_NATIVE_LIBRARY_PATH: '/nowhere/own.node' } });
    expect(code).toBe('ADDON_NOT_LOADED');
    expect(causes).toEqual([expect.stringContaining('/nowhere/own.node')]);
  });

  it('is found in a directory of any name', async () => {
    const odd = join(directory, `odd "name" %20 #? ü 日本 agent-bash-linux-`);
    mkdirSync(odd, { recursive: true });
    project = odd;
    placePackage(project);
    expect(await load()).toEqual(LOADED);
  });
});
