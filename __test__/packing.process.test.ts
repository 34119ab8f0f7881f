import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADDON, copyRepository, ROOT } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

const isGlibc = ADDON.endsWith('-gnu.node');

describe.runIf(isGlibc)('packing', () => {
  const directory = temporaryDirectory();
  const repository = join(directory, 'repository');

  function pack(name: string, ...flags: string[]) {
    const out = join(directory, name);
    const script = join(repository, 'scripts/pack-all.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--out', out, ...flags], {
      encoding: 'utf8',
    });
    return { status, stderr, packed: existsSync(out) ? readdirSync(out) : [] };
  }

  beforeAll(() => {
    copyRepository(repository);
    symlinkSync(join(ROOT, 'node_modules'), join(repository, 'node_modules'));
    const source = join(directory, 'addon.c');
    writeFileSync(source, 'int getrandom(); int napi_register_module_v1() { return getrandom(); }');
    execFileSync('cc', ['-shared', '-fPIC', '-s', '-o', join(repository, ADDON), source]);
  });

  it('refuses an addon that needs a newer glibc than is promised, and says what to do', () => {
    const { status, stderr, packed } = pack('refused');
    expect({ status, packed }).toEqual({ status: 1, packed: [] });
    expect(stderr).toContain(`${ADDON} is not packed: it needs glibc 2.25, and only 2.17 is allowed`);
    expect(stderr).toContain('npm run build:portable');
  });

  it.each(['pack', 'publish'])('by npm %s alone is refused, and says what to do', (command) => {
    const before = readFileSync(join(repository, 'package.json'), 'utf8');
    const { status, stderr } = spawnSync('npm', [command, '--dry-run'], {
      cwd: repository,
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain("agent-bash can't be packed alone");
    expect(stderr).toContain('npm ci && npm run build && npm run pack:all -- --local');
    expect(readFileSync(join(repository, 'package.json'), 'utf8')).toBe(before);
  });

  it('packs it for this machine with --local', () => {
    const { status, packed } = pack('local', '--local');
    const hasInterceptor = readdirSync(ROOT).some((name) => name.startsWith('agent-bash-interceptor.'));
    expect({ status, count: packed.length }).toEqual({ status: 0, count: hasInterceptor ? 3 : 2 });
  });
});
