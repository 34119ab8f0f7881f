import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { leaving } from './cases/case.js';
import { expectSame } from './difference.js';
import { engines } from './engines.js';
import { withEnvironment } from './environment.js';
import { shell } from './oracle/plan.js';
import { temporaryDirectory } from './runner.js';

const MISSING = "Error: Missing required parameter 'command'";
const MARKER = '\n[Output truncated at 100KB]';

const root = temporaryDirectory();
const file = join(root, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Cases written out in full: they fail even if the oracle and the addon share a defect. */
const written: Array<[input: unknown, answer: string]> = [
  [{ command: 'true' }, '\n[Exit code: 0]'],
  [{ command: 'echo hi' }, 'hi\n\n[Exit code: 0]'],
  [{ command: 'echo out; echo err >&2' }, 'out\n\nerr\n\n[Exit code: 0]'],
  [{ command: 'printf out; printf err >&2; exit 3' }, 'out\nerr\n[Exit code: 3]'],
  [{ command: 'echo err >&2' }, 'err\n\n[Exit code: 0]'],
  [{ command: '  ', cmd: 'echo c' }, 'c\n\n[Exit code: 0]'],
  [{ command: 5, cmd: 'echo c' }, 'c\n\n[Exit code: 0]'],
  [{ command: '\ufeff\u00a0\u2028', cmd: 'echo c' }, 'c\n\n[Exit code: 0]'],
  [{}, MISSING],
  [{ command: ' ', cmd: '\n' }, MISSING],
  [null, MISSING],
  [undefined, MISSING],
  ['echo hi', MISSING],
  [{ command: 'echo a\0b' }, "Error: Invalid parameter 'command': must not contain null bytes"],
  [{ command: 'cat; echo $?' }, '0\n\n[Exit code: 0]'],
  [{ command: 'kill -9 $$' }, '\n[Exit code: 137]'],
  [{ command: 'kill -TERM $$' }, '\n[Exit code: 143]'],
  [{ command: "printf '\\377\\342\\202'" }, '\ufffd\ufffd\n[Exit code: 0]'],
  [{ command: "printf '\\355\\240\\200'" }, '\ufffd\ufffd\ufffd\n[Exit code: 0]'],
  [{ command: "printf '\\357\\273\\277a\\000\\r\\n\\033[1m'" }, '\ufeffa\0\r\n\u001b[1m\n[Exit code: 0]'],
  [{ command: leaving('echo late', 'echo first') }, 'first\nlate\n\n[Exit code: 0]'],
  [{ command: `echo ${'x'.repeat(140_000)} | wc -c` }, '140001\n\n[Exit code: 0]'],
];

const writtenForSafeMode: Array<[command: string, answer: string]> = [
  ['ls', 'file\n\n[Exit code: 0]'],
  ["'l's", 'file\n\n[Exit code: 0]'],
  ['\u00a0ls\n', 'file\n\n[Exit code: 0]'],
  ['ls \\', 'file\n\n[Exit code: 0]'],
  ['echo hi', 'Error: Command not allowed in safe mode'],
  ['gitt', 'Error: Command not allowed in safe mode'],
  ['ls\n-l', 'Error: Command not allowed in safe mode'],
  ['npm run test', 'Error: Command not allowed in safe mode'],
  ["ls 'a", 'Error: Invalid command syntax in safe mode'],
  ['""', 'Error: Invalid command syntax in safe mode'],
  ["rm 'a", 'Error: Invalid command syntax in safe mode'],
  ['ls a\0', "Error: Invalid parameter 'command': must not contain null bytes"],
];

/** A row with a title that stays readable where the input is long. */
function titled<T>(
  rows: Array<[input: T, answer: string]>,
): Array<[title: string, input: T, answer: string]> {
  return rows.map(([input, answer]) => [String(JSON.stringify(input)).slice(0, 60), input, answer]);
}

describe.each(engines)('the contract as it is written, kept by %s', (_, engine) => {
  it.each(titled(written))('answers %s', async (_title, args, answer) => {
    expectSame(await engine(args, root, false), answer);
  });

  it.each(titled(writtenForSafeMode))('answers %s in safe mode', async (_title, command, answer) => {
    expectSame(await engine({ command }, root, true), answer);
  });

  it('names the shell and the reason when the workspace is missing', async () => {
    const answer = await engine({ command: 'true' }, join(root, 'missing'), false);
    expect(answer).toBe(`Error: Failed to launch process: spawn ${shell().program} ENOENT`);
  });

  it('names the reason alone when the workspace is a file', async () => {
    const answer = await engine({ command: 'true' }, file, false);
    expect(answer).toBe('Error: Failed to launch process: spawn ENOTDIR');
  });

  it.each(['swift test', '"swift test"'])('names the program that %s lacks', async (command) => {
    const program = command.startsWith('"') ? 'swift test' : 'swift';
    const answer = withEnvironment({ PATH: '/nowhere' }, () => engine({ command }, root, true));
    expect(await answer).toBe(`Error: Failed to launch process: spawn ${program} ENOENT`);
  });

  it('answers a workspace that is no string', async () => {
    const answer = await engine({ command: 'true' }, 5, false);
    expect(answer).toBe("Error: Invalid parameter 'workspaceRoot': expected a string");
  });

  it('answers a workspace with a null byte', async () => {
    const answer = await engine({ command: 'true' }, '/tmp\0', false);
    expect(answer).toBe("Error: Invalid parameter 'workspaceRoot': must not contain null bytes");
  });

  it.each([
    ['102,400 bytes are intact', 102_400, 'x'.repeat(102_400)],
    ['102,401 bytes are cut', 102_401, 'x'.repeat(102_400) + MARKER],
  ])('%s', async (_label, size, text) => {
    const answer = await engine({ command: `head -c ${size} /dev/zero | tr '\\0' x` }, root, false);
    expectSame(answer, `${text}\n[Exit code: 0]`);
  });

  it('decodes the part of a character before the limit as one U+FFFD', async () => {
    writeFileSync(join(root, 'cut'), `${'x'.repeat(102_398)}😀`);
    const answer = await engine({ command: 'cat cut; rm cut' }, root, false);
    expectSame(answer, `${'x'.repeat(102_398)}\ufffd${MARKER}\n[Exit code: 0]`);
  });
});
