import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, run, ShellSession, view } from '../../index.js';
import { until } from '../support/processes.mjs';

/** A script that prints what `cargo test` does: lines of passed tests, and `last`. */
const tests = (last: string) =>
  `cargo() { echo "running 90 tests"; for i in $(seq 90); do echo "test case_$i ... ok"; done; ${last}; }; cargo test`;

const PASSED = tests('echo "test result: ok. 90 passed; 0 failed"');
const FAILED = tests('echo "test bad ... FAILED"; exit 101');

const log = (last: string) =>
  `running 90 tests\n${Array.from({ length: 90 }, (_, index) => `test case_${index} ... ok\n`).join('')}${last}\n`;

describe('minimize', () => {
  it('leaves out passed tests below any budget, says why, and names the file with all of them', async () => {
    await using result = await run(PASSED, { output: { minimize: true } });
    const { spillPath, view: shown } = result;
    expect(result.output).toBe(shown?.text);
    expect(result.output).toBe(
      [
        'running 90 tests',
        '[lines 2-91 left out: 90 lines, 1,791 bytes, passed tests]',
        'test result: ok. 90 passed; 0 failed',
        `[output: 92 lines, 1,845 bytes, 2 lines shown; whole: ${spillPath}]`,
      ].join('\n'),
    );
    expect(shown?.leftOut).toEqual([{ from: 2, to: 91, lines: 90, bytes: 1_791, reason: 'passed tests' }]);
    expect(shown?.complete).toBe(false);
    expect(readFileSync(spillPath ?? '', 'utf8')).toBe(result.stdout);
  });

  it('keeps failures and the lines around them', async () => {
    await using result = await run(FAILED, { output: { minimize: true } });
    expect(result.exitCode).toBe(101);
    expect(result.output).toContain('\ntest case_89 ... ok\ntest case_90 ... ok\ntest bad ... FAILED\n');
    expect(result.output).not.toContain('case_88 ');
  });

  it.each([
    ['an output that has nothing to leave out', 'seq 1000', true],
    ['a short output', 'echo a', true],
    ['spill: false', PASSED, false],
  ])('leaves no file and the output as it is for %s', async (_, command, spills) => {
    const spill = spills ? undefined : false;
    const {
      stdout,
      output,
      spillPath,
      view: shown,
    } = await run(command, { output: { minimize: true, spill } });
    expect([output, shown?.complete, spillPath]).toEqual([stdout, true, null]);
  });

  it('removes the file in which no line is missing', async () => {
    await using kept = await run('echo a', { output: { spill: true } });
    const directory = dirname(kept.spillPath ?? '');
    const before = readdirSync(directory);
    const { spill } = await run('seq 1000', { output: { minimize: true } });
    expect(spill).toBeNull();
    await until(() => readdirSync(directory).length <= before.length);
  });

  it('keeps the file that was asked for', async () => {
    await using result = await run('seq 1000', { output: { minimize: true, spill: true } });
    expect(existsSync(result.spillPath ?? '')).toBe(true);
  });

  it('leaves nothing out of a file that hit its quota', async () => {
    await using result = await run(PASSED, { output: { minimize: true, spill: { maxBytes: 500 } } });
    expect(result.output).toBe(result.stdout);
  });

  it('works for jobs and for sessions', async () => {
    await using table = new Jobs();
    const job = table.start(PASSED, { output: { minimize: true } });
    const ofJob = await job.result;
    await using session = new ShellSession();
    await using ofSession = await session.run(PASSED, { output: { minimize: true } });
    for (const { output, spillPath } of [ofJob, ofSession]) {
      expect(output).toContain('left out: 90 lines, 1,791 bytes, passed tests]');
      expect(output).toContain(`; whole: ${spillPath}]`);
    }
  });

  it('takes the program before a pipe into tail, and not the one before grep', async () => {
    await using tail = await run(`${PASSED} | tail -n 80`, { output: { minimize: true } });
    expect(tail.output).toContain('passed tests]');
    await using grep = await run(`${PASSED} | grep test`, { output: { minimize: true } });
    expect(grep.output).toBe(grep.stdout);
  });

  it('changes nothing without the option', async () => {
    const { view: none, output, stdout, spill } = await run(PASSED);
    expect([none, output, spill]).toEqual([null, stdout, null]);
  });
});

describe('view() with minimize', () => {
  it('needs the command, for whose program there are rules', async () => {
    const text = log('test result: ok. 90 passed; 0 failed');
    const shown = await view(text, { minimize: true, command: 'cargo test 2>&1', exitCode: 0 });
    expect(shown.text.split('\n')).toHaveLength(4);
    expect(shown.text).toMatch(/\[output: 92 lines, [\d,]+ bytes, 2 lines shown\]$/);
    for (const command of ['cat log', 'cargo test --message-format json', ['cat', 'a b']]) {
      const whole = await view(text, { minimize: true, command, exitCode: 0 });
      expect(whole.text).toBe(text);
    }
    const words = await view(text, { minimize: true, command: ['cargo', 'test'], exitCode: 0 });
    expect(words.text).toBe(shown.text);
  });

  it('takes a choice of rules, and rules of the caller', async () => {
    const text = log('end');
    const leftOut = async (minimize: object) =>
      (await view(text, { minimize, command: 'cargo test', exitCode: 0 })).leftOut.map(
        ({ reason }) => reason,
      );
    expect(await leftOut({ except: ['cargo'] })).toEqual([]);
    expect(await leftOut({ only: ['cargo', 'repeated'] })).toEqual(['passed tests']);
    const own = {
      name: 'own',
      commands: ['cargo'],
      lines: [{ reason: 'built', patterns: ['test case_# *'] }],
    };
    expect(await leftOut({ only: ['own'], rules: [own] })).toEqual(['built']);
  });

  it.each([
    [{ minimize: 1 }, "'options.minimize': expected true, false or an object, got 1"],
    [{ minimize: { onyl: [] } }, "'options.minimize.onyl': unknown; did you mean 'only'?"],
    [{ minimize: { only: ['cargoo'] } }, "'options.minimize.only[0]': expected 'cargo', 'pytest',"],
    [{ minimize: { rules: [{ name: 'a' }] } }, "'options.minimize.rules[0].commands': expected a list of"],
    [
      { minimize: { rules: [{ name: 'a', commands: ['b'], lines: [{ reason: 'boring' }] }] } },
      "'options.minimize.rules[0].lines[0].reason': expected",
    ],
    [{ minimize: true, command: 1 }, "'options.command': expected a string or a list of strings, got 1"],
  ])('refuses %j', async (options, message) => {
    await expect(view('a', options as object)).rejects.toThrow(message);
  });
});

it('A minimized output is a view, and text', async () => {
  await expect(run('a', { output: { minimize: true, view: false } })).rejects.toThrow(
    "'options.output.minimize': expected none with view: false",
  );
  await expect(run('a', { encoding: 'buffer', output: { minimize: true } })).rejects.toThrow(
    "'options.output.minimize': expected nothing next to encoding: 'buffer'",
  );
});
