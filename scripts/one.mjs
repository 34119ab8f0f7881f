// Builds what is stale, and runs one file of tests once, in one project:
//
//   npm run one -- life/timeout                  # __test__/life/timeout*.test.ts
//   npm run one -- life/timeout -t 'ignores'     # further arguments are vitest's
//   npm run one -- job::life                     # the Rust unit tests whose names contain this

import { spawnSync } from 'node:child_process';
import { build, ROOT } from './stale.mjs';

const [name, ...more] = process.argv.slice(2);
if (!name) {
  console.error(
    "npm run one -- NAME: a file below __test__, such as 'life/timeout', or Rust tests, such as 'job::life'",
  );
  process.exit(2);
}

function run(program, ...words) {
  const { status, error } = spawnSync(program, words, { cwd: ROOT, stdio: 'inherit' });
  if (error) throw error;
  process.exit(status ?? 1);
}

if (name.includes('::')) run('cargo', 'test', '--no-default-features', '--lib', name, ...more);
await build();
const file = name.startsWith('__test__/') ? name : `__test__/${name}`;
const [, own] = /^__test__\/(sdks|browser)\//.exec(file) ?? [];
const project = own ?? (file.includes('.soak.') ? 'soak' : 'forks');
run('npx', '--no-install', 'vitest', 'run', '--project', project, file, ...more);
