import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random, repeat } from '../differential/seed.js';
import { temporaryDirectory } from '../support/directory.js';
import { both, SHELLS } from './support.js';

const COMMANDS = 100;

const root = temporaryDirectory();
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const WORDS = [
  'a',
  'file',
  '*',
  'fi*',
  '?ile',
  'no*where',
  '~',
  'é',
  "'one word'",
  '"one  $x"',
  '"$(echo sub; echo st)"',
  '$(printf in)',
  '$x',
  '${HOME}',
  '"$missing"',
  '$missing',
  '$?',
  '$#',
  '\\$x',
  'a=b',
  'done',
  '""',
  "''",
  '-n',
  '--',
];
const COMMANDS_OF_WORDS = ['echo', 'printf "%s,"', 'printf "[%s]\\n"', 'command echo', 'nowhere'];
const FIXED = [
  'x=new',
  'x="a  b"',
  'x=$(cat file)',
  'true',
  'false',
  'cat file',
  'cat nowhere',
  'ls',
  'pwd',
  'cd sub',
  'cd nowhere',
  'cd sub/..',
  'test -f file',
  '[ a = b ]',
  'IFS=,',
  'export y=1',
  'printenv y',
  'unset x',
  'exit 4',
  'sh -c "exit 9"',
  '. ./script',
  'wc -l < file',
  'exec 2>&1',
  'umask',
  ':',
];
const REDIRECTIONS = [
  '',
  '',
  '',
  '',
  ' > out',
  ' >> out',
  ' 2>&1',
  ' >&2',
  ' 2>/dev/null',
  ' < file',
  ' > sub',
];
const JOINTS = ['; ', '; ', ' && ', ' || ', '\n', '\n\n'];

/** Two that run at the same time and write to the same stream have no order: so these have one stream. */
const WRITERS = ['cat file', 'echo a b', 'ls 2>/dev/null', 'seq 3 | sort -r', 'printf "1\\n2\\n"'];
const READERS = ['cat', 'wc -l', 'sort', 'tr a-z A-Z', 'head -n 1', 'grep -c o', 'cat > out'];

function simple(random: Random): string {
  if (random.next() < 0.15) return `${random.pick(WRITERS)} | ${random.pick(READERS)}`;
  const words = numbers(random.between(0, 4)).map(() => random.pick(WORDS));
  const text =
    random.next() < 0.6 ? [random.pick(COMMANDS_OF_WORDS), ...words].join(' ') : random.pick(FIXED);
  return text + random.pick(REDIRECTIONS);
}

/** A command that parses, and that any shell gives the same answer to. */
function command(random: Random, isOneLine: boolean): string {
  const joints = isOneLine ? JOINTS.slice(0, -2) : JOINTS;
  let text = simple(random);
  for (let more = random.between(0, 5); more > 0; more--) text += random.pick(joints) + simple(random);
  // zsh 5.9 itself crashes in some of its runs of `echo no*where || seq 3 | sort`.
  return isOneLine && text.includes(' | ') ? text.replaceAll('no*where', 'nowhere') : text;
}

function fill(directory: string): void {
  mkdirSync(join(directory, 'sub'));
  writeFileSync(join(directory, 'file'), 'one\ntwo words\n');
  writeFileSync(join(directory, 'script'), 'x=script; echo "in the script"; nowhere\n');
}

// Without a second attempt: it would find the files of the first.
describe.concurrent.each(SHELLS)(
  'random commands are the same in a warm %s',
  { retry: 0 },
  (name, { shell }) => {
    const home = join(root, `${name}-home`);
    mkdirSync(home);

    it.each(numbers(COMMANDS))('command %i', async (index) => {
      const text = command(new Random(index), name === 'zsh');
      const cwd = join(root, `${name}-${index}`);
      mkdirSync(cwd);
      const { warm, cold } = await both(text, { cwd, env: { HOME: home }, shell }, fill);
      expect(warm, `${repeat}\n${text}`).toEqual(cold);
    });
  },
);
