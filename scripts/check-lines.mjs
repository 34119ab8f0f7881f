// Checks what formatters and linters leave alone: that comments are no wider than the code around them, and
// that tests wait for a fixed time only by the helpers of __test__/support/waits.mjs, whose names say why.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The width of code and comments (columns), as in biome.json and rustfmt.toml. */
const WIDTH = 110;
const CODE = /\.(rs|[cm]?[jt]s|sh)$/;
const COMMENT = /^\s*(\/\/|\/\*|\* |# )/;

/** The folder whose helpers call timers to wait. */
const HELPERS = '__test__/support/';
/** A promise of a timer, a timer as a promise, and a thread that is blocked. */
const FIXED_WAIT =
  /new Promise(<[^>]*>)?\(\(\w+\) => setTimeout\(\w+,|setTimeout.* from 'node:timers\/promises'|Atomics\.wait\(/;

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = listed.split('\0').filter((path) => CODE.test(path) && existsSync(path));

const found = files.flatMap((path) => {
  const isTest = path.startsWith('__test__/') && !path.startsWith(HELPERS);
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const place = `${path}:${index + 1}`;
      if (isTest && FIXED_WAIT.test(line))
        return [`${place} waits for a fixed time: see ${HELPERS}waits.mjs`];
      if (!COMMENT.test(line) || line.length <= WIDTH) return [];
      return [`${place} has a comment of ${line.length} columns, more than ${WIDTH}`];
    });
});

if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`the comments of ${files.length} files fit in ${WIDTH} columns, and no test waits by itself`);
}
