import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAX_ADDON_BYTES, maxAddonBytes, maxHelperBytes } from '../scripts/binary-limits.mjs';
import { temporaryDirectory } from './support/directory.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const script = join(repository, 'scripts/check-binary.mjs');
const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
const onGlibc = report.header?.glibcVersionRuntime !== undefined;

function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  const wrong = stdout.split('\n').filter((line) => line.startsWith('  WRONG '));
  return { status, stdout, stderr, wrong };
}

const addons = readdirSync(repository).filter((name) => /^agent-bash\..*\.node$/.test(name));
const helpers = readdirSync(repository).filter((name) => /^agent-bash-helper\./.test(name));
/** A debug build is for this machine: it may be large and has its symbols. */
const isDebugBuild = (file: string) =>
  onGlibc &&
  execFileSync('readelf', ['--wide', '--section-headers', file], { encoding: 'utf8' }).includes(
    '.debug_info',
  );

describe('the addon that was built', () => {
  it.each(addons)('%s passes the checks', (name) => {
    const file = join(repository, name);
    if (isDebugBuild(file)) return;
    expect(check('--max-bytes', `${maxAddonBytes(file)}`, file)).toMatchObject({ status: 0, wrong: [] });
  });

  it('is there, with its helper', () => {
    expect(addons).not.toEqual([]);
    const platforms = addons.map((name) => name.slice('agent-bash.'.length, -'.node'.length));
    expect(helpers.sort()).toEqual(platforms.map((platform) => `agent-bash-helper.${platform}`).sort());
  });
});

describe('the helper that was built', () => {
  it.each(helpers)('%s passes the checks', (name) => {
    const file = join(repository, name);
    const said = check('--max-helper-bytes', `${maxHelperBytes(file)}`, file);
    expect(said).toMatchObject({ status: 0, wrong: [] });
  });
});

describe.runIf(onGlibc)('the check of a binary', () => {
  const directory = temporaryDirectory();

  /** A small addon that is as it must be, but for what is added. */
  function addon(name: string, code: string, flags = ['-s']) {
    const source = join(directory, `${name}.c`);
    const file = join(directory, `${name}.node`);
    writeFileSync(
      source,
      `int napi_create_object(void *, void **);
       int getpid(void);
       ${code}
       int napi_register_module_v1(void *env) { void *object; return napi_create_object(env, &object) + getpid(); }`,
    );
    execFileSync('cc', ['-shared', '-fPIC', '-o', file, source, ...flags]);
    return file;
  }

  it('passes an addon with nothing wrong, with a line for each fact', () => {
    const { status, stdout } = check('--glibc', '2.17', addon('good', ''));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^good\.node\n( {2}ok {7}\S.*\n){9}$/);
  });

  it.each<[what: string, name: string, code: string, flags: string[], complaint: string]>([
    [
      'a newer glibc',
      'glibc',
      'int getrandom(); int f() { return getrandom(); }',
      ['-s'],
      'needs glibc 2.25',
    ],
    [
      'more bytes than allowed',
      'large',
      `char large[${MAX_ADDON_BYTES}] = {1};`,
      ['-s'],
      `only ${MAX_ADDON_BYTES} are allowed`,
    ],
    [
      'an imported function that makes external buffers',
      'external',
      'int napi_create_external_buffer(); int f() { return napi_create_external_buffer(); }',
      ['-s'],
      'names napi_create_external_buffer, which always fails in Electron',
    ],
    [
      'such a function that is looked up by its name',
      'by-name',
      'const char *name() { return "napi_create_external_arraybuffer"; }',
      ['-s'],
      'names napi_create_external_arraybuffer, which always fails in Electron',
    ],
    [
      'a function of a newer Node-API',
      'newer',
      'int node_api_create_buffer_from_arraybuffer(); int f() { return node_api_create_buffer_from_arraybuffer(); }',
      ['-s'],
      'names node_api_create_buffer_from_arraybuffer, newer than Node-API 8',
    ],
    [
      'a function of no Node-API',
      'invented',
      'int napi_invented(); int f() { return napi_invented(); }',
      ['-s'],
      'imports napi_invented, in no version of Node-API',
    ],
    [
      'a Node-API version of its own',
      'own-version',
      'int node_api_module_get_api_version_v1() { return 10; }',
      ['-s'],
      'asks for a Node-API version of its own',
    ],
    ['a symbol table', 'symbols', '', [], 'keeps .symtab,'],
    ['sections for debuggers', 'debug', '', ['-g'], 'keeps .debug_abbrev,'],
    [
      'an import from nowhere',
      'nowhere',
      'int nowhere(); int f() { return nowhere(); }',
      ['-s'],
      'imports nowhere,',
    ],
    [
      'a weak import that nobody vouches for',
      'weak',
      '__attribute__((weak)) int perhaps(); int f() { return perhaps ? perhaps() : 0; }',
      ['-s'],
      'imports perhaps weakly',
    ],
  ])('refuses %s', (_what, name, code, flags, complaint) => {
    const { status, wrong } = check('--glibc', '2.17', addon(name, code, flags));
    expect(wrong).toEqual([expect.stringContaining(complaint)]);
    expect(status).toBe(1);
  });

  it('refuses a directory of the machine that built it', () => {
    const file = addon('path', 'const char *path() { return "/home/ann/crates/x.rs"; }');
    const { status, wrong } = check('--without', '/home/ann/', '--without', '/home/bob/', file);
    expect(wrong).toEqual([expect.stringContaining("has '/home/ann/' in it")]);
    expect(status).toBe(1);
  });

  it('refuses a library that a system with Node may not have', () => {
    const library = join(directory, 'libother.so.1');
    writeFileSync(join(directory, 'other.c'), 'int other() { return 1; }');
    execFileSync('cc', ['-shared', '-Wl,-soname,libother.so.1', '-o', library, join(directory, 'other.c')]);
    const file = addon('library', 'int other(); int f() { return other(); }', ['-s', library]);
    const { status, wrong } = check(file);
    // A function without a version could come from any library too.
    expect(wrong).toEqual([
      expect.stringContaining('needs libother.so.1,'),
      expect.stringContaining('imports other,'),
    ]);
    expect(status).toBe(1);
  });

  it('reports the needed glibc when no limit is given', () => {
    const { status, stdout } = check(addon('refused', 'int getrandom(); int f() { return getrandom(); }'));
    expect(stdout).toContain('  skipped  needs glibc 2.25');
    expect(status).toBe(0);
  });

  it.each<[what: string, flags: string[], mode: number, complaints: string[]]>([
    ['that is linked dynamically', ['-s', '-no-pie'], 0o755, ['needs a loader for libc.so.6']],
    ['at no fixed address', ['-s', '-static-pie'], 0o755, ['has no fixed address']],
    ['with a symbol table', ['-static', '-no-pie'], 0o755, ['keeps .symtab']],
    ['that may not be executed', ['-s', '-static', '-no-pie'], 0o644, ['may not be executed']],
    ['with nothing wrong', ['-s', '-static', '-no-pie'], 0o755, []],
  ])('judges a helper %s', (_what, flags, mode, complaints) => {
    const source = join(directory, 'helper.c');
    const file = join(directory, 'agent-bash-helper.linux-x64-gnu');
    writeFileSync(source, 'int main() { return 0; }');
    execFileSync('cc', ['-o', file, source, ...flags]);
    chmodSync(file, mode);
    const { status, wrong } = check('--max-helper-bytes', '2500000', file);
    expect(wrong).toEqual(complaints.map((complaint) => expect.stringContaining(complaint)));
    expect(status).toBe(complaints.length > 0 ? 1 : 0);
  });

  it('says what it does not check in a file for musl', () => {
    const libc = join(directory, 'libc.musl-x86_64.so.1');
    writeFileSync(join(directory, 'musl.c'), 'int getpid() { return 1; }');
    execFileSync('cc', [
      '-shared',
      '-nostdlib',
      `-Wl,-soname,libc.musl-x86_64.so.1`,
      '-o',
      libc,
      join(directory, 'musl.c'),
    ]);
    const { status, stdout, wrong } = check('--glibc', '2.17', addon('musl', '', ['-s', '-nostdlib', libc]));
    expect({ status, wrong }).toEqual({ status: 0, wrong: [] });
    expect(stdout).toContain('no other libraries than those of musl');
    expect(stdout).toContain('  skipped  imports 1 functions that musl must have');
  });

  it('checks every file, also after one that fails', () => {
    const { status, stdout } = check('--glibc', '2.17', addon('one', '', []), addon('two', ''));
    expect(stdout).toMatch(/^one\.node\n.*WRONG.*\ntwo\.node\n.*ok/s);
    expect(status).toBe(1);
  });
});

describe('a file of another kind', () => {
  const directory = temporaryDirectory();

  it('that is no binary is refused', () => {
    const file = join(directory, 'text.node');
    writeFileSync(file, 'text');
    expect(check(file)).toMatchObject({
      status: 1,
      wrong: [expect.stringContaining('no ELF file, no Mach-O file')],
    });
  });

  it.each(['', '--glibc old file', '--napi new file', '--max-bytes few file'])(
    'is not looked at when the arguments make no sense: "%s"',
    (args) => {
      expect(check(...args.split(' ').filter(Boolean))).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('usage:'),
      });
    },
  );
});
