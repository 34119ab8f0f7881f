import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { askNodeWithMounts } from './program.js';

const TOOLS = fileURLToPath(new URL('../../entry/tools.mjs', import.meta.url));
const LENGTH = 4_088_895;

interface Answer {
  text: string;
  data: unknown;
  /** The sizes of the files that there are, by their paths. */
  files: Record<string, number>;
}

/**
 * Returns a program that prints the answer of a dialect to a command with much output, whose file is in the
 * directory.
 */
function program(dialect: string, options: object, directory: string): string {
  return `
    import { readdirSync, statSync } from 'node:fs';
    import { createTools } from ${JSON.stringify(TOOLS)};
    const output = { ...${JSON.stringify(options)}.output, spill: { directory: ${JSON.stringify(directory)} } };
    const toolset = createTools(${JSON.stringify(dialect)}, { ...${JSON.stringify(options)}, output });
    const { text, data } = await toolset.tools[0].execute({ command: 'seq 600000; exit 3' });
    const paths = readdirSync(${JSON.stringify(directory)}).map((name) => ${JSON.stringify(directory)} + '/' + name);
    const files = Object.fromEntries(paths.map((path) => [path, statSync(path).size]));
    process.stdout.write(JSON.stringify({ text, data, files }));
    await toolset.dispose();
  `;
}

/** Runs a program in a host that can write so many bytes to a file. */
async function underLimit(bytes: number, source: string): Promise<Answer> {
  const words = [`--fsize=${bytes}`, process.execPath, '--input-type=module', '-e', source];
  const { stdout } = await promisify(execFile)('prlimit', words, { maxBuffer: 16 * 1024 * 1024 });
  return JSON.parse(stdout);
}

const DIALECTS: [string, object][] = [
  ['bash', {}],
  ['bash', { output: { view: false } }],
  ['oh-my-pi', {}],
  ['gemini', {}],
  ['claude-code', { form: 'current' }],
];

/** Expects that an answer names no file that is missing, and none as whole that is not. */
function expectTrue({ text, data, files }: Answer, directory: string) {
  const named = `${text}\n${JSON.stringify(data)}`.match(new RegExp(`${directory}/[\\w.-]+`, 'g')) ?? [];
  for (const path of named) {
    expect(files[path]).toBeGreaterThan(0);
    expect(text).toMatch(
      new RegExp(`first ${files[path]?.toLocaleString('en-US').replace(/,/g, ',?')} bytes`),
    );
  }
  expect(text).not.toMatch(
    /whole: |all of the output|Read \S+ for full|Full output saved|For full output see: \//,
  );
  return named.length;
}

describe.each(DIALECTS)('a limit of the size of files in %s %o', (dialect, options) => {
  it('leaves a file that the answer says is the beginning', async () => {
    const directory = temporaryDirectory();
    const answer = await underLimit(LENGTH - 1_000_000, program(dialect, options, directory));
    expect(expectTrue(answer, directory)).toBeGreaterThan(0);
  });

  it('of nothing leaves no file that the answer names', async () => {
    const directory = temporaryDirectory();
    const answer = await underLimit(0, program(dialect, options, directory));
    // The shell of a session needs files.
    expect(answer.text).toMatch(dialect === 'oh-my-pi' ? /EFBIG/ : /600000/);
    expect(expectTrue(answer, directory)).toBe(0);
  });
});

describe.each(DIALECTS)('a full disk in %s %o', { tags: ['mounts'] }, (dialect, options) => {
  it('leaves a file that the answer says is the beginning', async () => {
    const directory = temporaryDirectory();
    const mount = `mount -t tmpfs -o size=1m none ${directory}`;
    const answer = await askNodeWithMounts<Answer>(mount, program(dialect, options, directory));
    expect(expectTrue(answer, directory)).toBeGreaterThan(0);
  });
});

describe('bash_output of a file with the beginning of the output', () => {
  it('says that the rest was not kept', async () => {
    const directory = temporaryDirectory();
    const source = `
      import { createTools } from ${JSON.stringify(TOOLS)};
      const toolset = createTools('bash', { output: { spill: { directory: ${JSON.stringify(directory)}, maxBytes: 100_000 } } });
      const { data } = await toolset.call('bash', { command: 'seq 600000' });
      const texts = [{ from: 500000 }, { find: '599999' }, {}].map(async (args) =>
        (await toolset.call('bash_output', { path: data.spill_path, ...args })).text);
      process.stdout.write(JSON.stringify({ text: (await Promise.all(texts)).join('\\n--\\n') }));
      await toolset.dispose();
    `;
    const { text } = await underLimit(LENGTH, source);
    const parts = text.split('\n--\n');
    expect(parts).toHaveLength(3);
    for (const part of parts) expect(part).toContain('[only the first 100000 bytes of the output were kept]');
    expect(parts[0]).toContain('the kept part has fewer lines');
  });
});
