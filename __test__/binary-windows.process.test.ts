import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { find } from '../scripts/machine.mjs';
import { temporaryDirectory } from './support/directory.js';

const script = fileURLToPath(new URL('../scripts/check-binary.mjs', import.meta.url));
const COMPILER = 'x86_64-w64-mingw32-gcc';
const REGISTER = '__declspec(dllexport) int napi_register_module_v1(void)';

describe.runIf(find(COMPILER) !== undefined)('the check of an addon for Windows', () => {
  const directory = temporaryDirectory();

  function build(name: string, code: string, ...flags: string[]): string {
    const [source, file] = [join(directory, `${name}.c`), join(directory, name)];
    writeFileSync(source, code);
    execFileSync(COMPILER, ['-s', '-shared', '-o', file, source, ...flags]);
    return file;
  }

  function wrongIn(file: string): string[] {
    const { stdout } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.startsWith('  WRONG '));
  }

  it('accepts one that needs Windows alone', () => {
    expect(wrongIn(build('agent-bash.win32-x64-gnu.node', `${REGISTER} { return 1; }`))).toEqual([]);
  });

  it('accepts a helper program, and refuses a library in its place', () => {
    const helper = join(directory, 'agent-bash-helper.win32-x64-gnu.exe');
    const source = join(directory, 'helper.c');
    writeFileSync(source, 'int main(void) { return 0; }');
    execFileSync(COMPILER, ['-s', '-o', helper, source]);
    expect(wrongIn(helper)).toEqual([]);
    const found = wrongIn(build('agent-bash-helper.win32-x64-msvc.exe', `${REGISTER} { return 1; }`));
    expect(found).toEqual([expect.stringContaining('is a library, not a program')]);
  });

  it('refuses one that needs a library of others, such as node.exe', () => {
    const library = build('node.exe.dll', '__declspec(dllexport) int f(void) { return 1; }');
    const code = `int f(void); ${REGISTER} { return f(); }`;
    const found = wrongIn(build('agent-bash.win32-x64-other.node', code, library));
    expect(found).toEqual([expect.stringContaining('needs node.exe.dll')]);
  });

  it('refuses one that Node.js can not start', () => {
    const found = wrongIn(
      build('agent-bash.win32-x64-none.node', '__declspec(dllexport) int f(void) { return 1; }'),
    );
    expect(found).toEqual([expect.stringContaining('does not export napi_register_module_v1')]);
  });

  it('refuses one for another processor than its name says', () => {
    const found = wrongIn(build('agent-bash.win32-arm64-msvc.node', `${REGISTER} { return 1; }`));
    expect(found).toEqual([expect.stringContaining('is for x64')]);
  });

  it('refuses one that is damaged', () => {
    const file = join(directory, 'agent-bash.win32-x64-damaged.node');
    const bytes = Buffer.alloc(512);
    bytes.write('MZ');
    bytes.writeUInt32LE(64, 0x3c);
    bytes.write('PE\0\0', 64);
    writeFileSync(file, bytes);
    expect(wrongIn(file)).toEqual([expect.stringContaining('is damaged')]);
  });
});
