import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/directory.js';
import { type MachO, machO } from './support/mach-o.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const script = join(repository, 'scripts/check-binary.mjs');
const directory = temporaryDirectory();

function check(bytes: Buffer, name = 'agent-bash.darwin-arm64.node') {
  const file = join(directory, name);
  writeFileSync(file, bytes, { mode: 0o755 });
  const { status, stdout } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  return { status, stdout, wrong: stdout.split('\n').filter((line) => line.startsWith('  WRONG ')) };
}

/** The linker of the portable build, which also links for macOS. */
const zigs = join(repository, 'target/tools/zigbuild/lib');
const zig = existsSync(zigs)
  ? readdirSync(zigs).map((python) => join(zigs, python, 'site-packages/ziglang/zig'))[0]
  : undefined;

function link(name: string, code: string, flags: string[]): Buffer {
  const source = join(directory, 'source.c');
  const file = join(directory, name);
  writeFileSync(source, code);
  const target = ['-target', 'aarch64-macos.11.0', '-fno-sanitize=all', '-s'];
  execFileSync(zig ?? '', ['cc', ...target, ...flags, '-o', file, source]);
  return readFileSync(file);
}

describe.runIf(zig !== undefined)('a file that a linker has made for macOS', () => {
  const code =
    'int napi_create_object(void *, void **); int getpid(void); ' +
    'int napi_register_module_v1(void *env) { void *o; return napi_create_object(env, &o) + getpid(); }';
  const flags = ['-dynamiclib', '-Wl,-undefined,dynamic_lookup', '-Wl,-install_name,@rpath/agent-bash.node'];

  it('passes as an addon, with a line for each fact', () => {
    const { status, stdout } = check(link('linked.node', code, flags));
    expect(stdout).toMatch(/^agent-bash.*\n( {2}ok {7}\S.*\n){12}$/);
    expect(stdout).toContain('imports 1 functions of Node-API');
    expect(stdout).toMatch(/has the content that was signed, in \d+ pages/);
    expect(status).toBe(0);
  });

  it('passes as a helper program', () => {
    const helper = link('agent-bash-helper', 'int main(void) { return 0; }', []);
    expect(check(helper, 'agent-bash-helper.darwin-arm64')).toMatchObject({ status: 0, wrong: [] });
  });

  it('is refused after one byte of it has changed, wherever', () => {
    const linked = link('changed.node', code, flags);
    // A page of arm64 has 16 KiB.
    for (const at of [4096, 16_384, 40_000]) {
      const changed = Buffer.from(linked);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(check(changed).wrong).toEqual([
        expect.stringContaining(`other content than was signed in pages ${Math.floor(at / 16_384)}`),
      ]);
    }
  });
});

describe('the check of an addon for macOS', () => {
  it('passes one with nothing wrong', () => {
    expect(check(machO())).toMatchObject({ status: 0, wrong: [] });
  });

  it.each<[what: string, file: MachO, complaint: string]>([
    ['a newer macOS', { minimum: [13, 0] }, 'needs macOS 13.0, not 11.0'],
    ['the path of a build', { installName: '/Users/ann/target/libagent_bash.dylib' }, "'/Users/ann/target"],
    ['a program in place of a library', { kind: 2 }, 'is a program, not a library'],
    [
      'a library of Homebrew',
      { libraries: ['/opt/homebrew/lib/libz.dylib'] },
      'needs /opt/homebrew/lib/libz',
    ],
    ['a function from nowhere', { imports: [['nowhere', 254]] }, 'imports nowhere,'],
    ['the hash of a build in its name', { identifier: 'agent_bash-0123456789abcdef' }, 'in each build'],
    ['a certificate', { flags: 0 }, 'is not ad hoc'],
    ['no signature', { isSigned: false }, 'has no signature'],
  ])('refuses %s', (_what, file, complaint) => {
    const { status, wrong } = check(machO(file));
    expect(wrong).toEqual([expect.stringContaining(complaint)]);
    expect(status).toBe(1);
  });

  it.each<[what: string, damage: (bytes: Buffer) => Buffer, complaint: string]>([
    ['was cut off', (bytes) => bytes.subarray(0, bytes.length - 40), 'is damaged: '],
    ['ends within its load commands', (bytes) => bytes.subarray(0, 64), 'is damaged: '],
    [
      'has more behind its signature than was signed',
      (bytes) => {
        const at = bytes.indexOf(Buffer.from([0xfa, 0xde, 0x0c, 0x02]));
        bytes.writeUInt32BE(4096, at + 32);
        return bytes;
      },
      'for another length of the file',
    ],
    [
      'has a load command without an end',
      (bytes) => {
        bytes.writeUInt32LE(0, 36);
        return bytes;
      },
      'a load command has a wrong length',
    ],
    [
      'names more hashes than it has',
      (bytes) => {
        const at = bytes.indexOf(Buffer.from([0xfa, 0xde, 0x0c, 0x02]));
        bytes.writeUInt32BE(0xffffffff, at + 28);
        return bytes;
      },
      'lacks hashes',
    ],
  ])('refuses one that %s', (_what, damage, complaint) => {
    const { status, wrong } = check(damage(machO()));
    expect(wrong).toEqual([expect.stringContaining(complaint)]);
    expect(status).toBe(1);
  });

  it('refuses a helper whose name differs from build to build', () => {
    const file = machO({ kind: 2, identifier: 'agent_bash_helper-0123456789abcdef' });
    expect(check(file, 'agent-bash-helper.darwin-arm64').wrong).toEqual([
      expect.stringContaining("is signed as 'agent_bash_helper-0123456789abcdef'"),
    ]);
  });
});
