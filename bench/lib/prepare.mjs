// Builds and installs what a measurement needs.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { BENCH, BUILD, EMIT, LIMIT, SESSION_LIMIT } from './places.mjs';

export function prepare() {
  if (!existsSync(`${BENCH}node_modules`)) {
    console.error('installing the peers: npm ci --prefix bench');
    // Without install scripts: none of the peers needs one here.
    run('npm', ['ci', '--prefix', BENCH, '--ignore-scripts', '--no-audit', '--no-fund']);
  }
  mkdirSync(BUILD, { recursive: true });
  compile('limit.c', LIMIT);
  compile('session-limit.c', SESSION_LIMIT);
  compile('emit.c', EMIT);
}

function compile(source, program) {
  run('cc', ['-O2', '-Wall', '-Wextra', '-o', program, `${BENCH}${source}`]);
}

function run(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
