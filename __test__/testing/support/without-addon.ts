import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../install/support/repository.js';

/** Writes a file of CommonJS with a function that tests and child processes call, and returns its path. */
export function programIn(directory: string, text: string): string {
  const file = join(directory, 'program.cjs');
  const head = ['', '/tools', '/testing'].map((part) => {
    const name = part === '' ? 'all' : part.slice(1);
    const path = part === '' ? 'index.js' : `entry${part}.js`;
    return `const ${name} = require(${JSON.stringify(join(ROOT, path))});`;
  });
  writeFileSync(file, `${head.join('\n')}\n${text}\n`);
  return file;
}

/** Calls the function here, with the addon. */
export async function here(program: string, ...given: unknown[]): Promise<unknown> {
  const act = createRequire(import.meta.url)(program);
  return JSON.parse(JSON.stringify(await act(...given)));
}

/** Calls the function in a process that can't load the addon, with more variables. */
export async function withoutAddon(
  program: string,
  more: NodeJS.ProcessEnv,
  ...given: unknown[]
): Promise<unknown> {
  const code = `require(process.argv[1])(...JSON.parse(process.argv[2])).then(
    (value) => console.log(JSON.stringify(value)),
    ({ code, message }) => console.log(JSON.stringify({ code, message })),
  )`;
  const env = { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: '/no/addon.node', ...more };
  const words = ['-e', code, program, JSON.stringify(given)];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
