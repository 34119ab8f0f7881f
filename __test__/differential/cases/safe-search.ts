import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, put, safe } from './case.js';

const RUN = `#!/bin/sh\nprintf '%s\\n' "ran $0" "$@"\n`;

/** The program that is looked for is always `pytest`, which no test machine needs to have. */
function search(
  name: string,
  path: ((dir: string) => string) | undefined,
  setup?: (dir: string) => void,
): Case {
  return safe(`${name}, in safe mode`, 'pytest a', {
    setup: (dir) => {
      put(dir, 'good/pytest', RUN, 0o755);
      setup?.(dir);
    },
    env: (dir) => ({ PATH: path?.(dir) }),
  });
}

export const safeSearch = [
  search('the first directory of PATH that has the program', (dir) => `${dir}/empty:${dir}/good`),
  search(
    'the first of two programs wins',
    (dir) => `${dir}/first:${dir}/good`,
    (dir) => put(dir, 'first/pytest', RUN, 0o755),
  ),
  search('a PATH of nothing but missing directories', () => '/nowhere:/neither'),
  search('no PATH', undefined),
  search('an empty PATH', () => ''),
  search(
    'an empty PATH is the workspace',
    () => '',
    (dir) => put(dir, 'pytest', RUN, 0o755),
  ),
  search(
    'an empty entry is the workspace',
    () => '/nowhere:',
    (dir) => put(dir, 'pytest', RUN, 0o755),
  ),
  search(
    'a dot is the workspace',
    () => '.',
    (dir) => put(dir, 'pytest', RUN, 0o755),
  ),
  search('a relative directory starts at the workspace', () => 'good'),
  search(
    'a PATH with a file among the directories',
    (dir) => `${dir}/file:${dir}/good`,
    (dir) => put(dir, 'file'),
  ),
  search(
    'a PATH that is a file',
    (dir) => `${dir}/file`,
    (dir) => put(dir, 'file'),
  ),
  search('an entry that is too long', (dir) => `/${'n'.repeat(300)}:${dir}/good`),
  search('an entry longer than any path', (dir) => `${'/n'.repeat(3000)}:${dir}/good`),
  search(
    'an entry with a space',
    (dir) => `${dir}/a b`,
    (dir) => put(dir, 'a b/pytest', RUN, 0o755),
  ),
  search(
    'an entry with unicode',
    (dir) => `${dir}/ä日`,
    (dir) => put(dir, 'ä日/pytest', RUN, 0o755),
  ),
  search(
    'a file that is not executable',
    (dir) => `${dir}/bad`,
    (dir) => put(dir, 'bad/pytest', RUN),
  ),
  search(
    'a file that is not executable before one that is',
    (dir) => `${dir}/bad:${dir}/good`,
    (dir) => put(dir, 'bad/pytest', RUN),
  ),
  search(
    'a directory by the program’s name',
    (dir) => `${dir}/bad`,
    (dir) => mkdirSync(join(dir, 'bad/pytest'), { recursive: true }),
  ),
  search(
    'a directory by the program’s name before the program',
    (dir) => `${dir}/bad:${dir}/good`,
    (dir) => mkdirSync(join(dir, 'bad/pytest'), { recursive: true }),
  ),
  search(
    'a script without a first line',
    (dir) => `${dir}/bad:/usr/bin:/bin`,
    (dir) => put(dir, 'bad/pytest', 'echo "bare $0 $1"\nexit 3\n', 0o755),
  ),
  search(
    'an empty executable',
    (dir) => `${dir}/bad:/usr/bin:/bin`,
    (dir) => put(dir, 'bad/pytest', '', 0o755),
  ),
  search(
    'a script with a missing interpreter',
    (dir) => `${dir}/bad`,
    (dir) => put(dir, 'bad/pytest', '#!/no/such/interpreter\n', 0o755),
  ),
  search(
    'a script with a missing interpreter before the program',
    (dir) => `${dir}/bad:${dir}/good`,
    (dir) => put(dir, 'bad/pytest', '#!/no/such/interpreter\n', 0o755),
  ),
  search(
    'a dangling link',
    (dir) => `${dir}/bad:${dir}/good`,
    (dir) => {
      mkdirSync(join(dir, 'bad'));
      symlinkSync('missing', join(dir, 'bad/pytest'));
    },
  ),
  search(
    'a link to itself',
    (dir) => `${dir}/bad`,
    (dir) => {
      mkdirSync(join(dir, 'bad'));
      symlinkSync('pytest', join(dir, 'bad/pytest'));
    },
  ),
  search(
    'a link to the program',
    (dir) => `${dir}/bad`,
    (dir) => {
      mkdirSync(join(dir, 'bad'));
      symlinkSync('../good/pytest', join(dir, 'bad/pytest'));
    },
  ),
  search(
    'a broken executable',
    (dir) => `${dir}/bad:/usr/bin:/bin`,
    (dir) => put(dir, 'bad/pytest', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), 0o755),
  ),
  safe('ls without PATH is found where the system has it', 'ls', { env: () => ({ PATH: undefined }) }),
  safe('a program called "swift test" runs as one word', '"swift test"', {
    setup: (dir) => put(dir, 'bin/swift test', RUN, 0o755),
    env: (dir) => ({ PATH: `${dir}/bin` }),
  }),
  safe('a program called "swift test" is not swift with an argument', 'swift test', {
    setup: (dir) => put(dir, 'bin/swift test', RUN, 0o755),
    env: (dir) => ({ PATH: `${dir}/bin` }),
  }),
];
