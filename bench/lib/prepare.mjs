// Builds and installs what a measurement needs.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { BENCH, BUILD, EMIT, LIMIT } from './places.mjs';

export function prepare() {
  if (!existsSync(`${BENCH}node_modules`)) {
    console.error('installing the peers: npm ci --prefix bench');
    // Without install scripts: none of the peers needs one here.
    run('npm', ['ci', '--prefix', BENCH, '--ignore-scripts', '--no-audit', '--no-fund']);
  }
  mkdirSync(BUILD, { recursive: true });
  run('cc', ['-O2', '-Wall', '-Wextra', '-o', LIMIT, `${BENCH}limit.c`]);
  run('cc', ['-O2', '-Wall', '-Wextra', '-o', EMIT, `${BENCH}emit.c`]);
}

function run(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
