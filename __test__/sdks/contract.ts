import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createTools, type ToolResult, type Toolset, type ToolsOptions } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { living, until } from '../support/processes.mjs';
import { tag } from '../support/tag.js';
import { deliberateDelay } from '../support/waits.mjs';

/** The answer to a call, as the model gets it. */
export interface Answer {
  text: string;
  /** Whether as an error; `undefined` where the SDK has no such mark. */
  isError?: boolean | undefined;
}

/** The conditions of an agent run. */
export interface Run {
  signal?: AbortSignal;
  /** The decision of the person whom the SDK asks. */
  person?: 'approves' | 'rejects';
  /** The toolset of the process that goes on after the person's decision. Default: the same. */
  elsewhere?: Toolset;
}

/** An SDK in which a scripted model makes calls, and what it gets for them. */
export interface Driver {
  name: string;
  /** Calls tools of a toolset, all in one turn, and gives what the model reads. Rejects as the SDK does. */
  call(toolset: Toolset, calls: readonly Call[], run: Run): Promise<Answer[]>;
  /** Whether a rejected approval reaches the model in words of the SDK's. */
  rejection?: RegExp;
  /** Whether the SDK asks a person; else `ask` is a denial. */
  asks: boolean;
  /** Whether another process can go on after the person's decision. */
  resumes?: boolean;
}

export interface Call {
  name: string;
  args: unknown;
}

const bash = (args: Record<string, unknown>): Call => ({ name: 'bash', args });

/** A command that writes 5 MB, in lines of 100 bytes. */
const FIVE_MB = `yes ${'x'.repeat(99)} | head -c 5000000`;

/**
 * A toolset, and all results of its calls: also of those that an SDK drops. A concurrent test gives its own
 * `atEnd`.
 */
function recorded(
  options: ToolsOptions = {},
  atEnd: typeof onTestFinished = onTestFinished,
): { toolset: Toolset; results: ToolResult[] } {
  const results: ToolResult[] = [];
  const toolset = createTools('bash', {
    shell: '/bin/bash',
    onEvent(event) {
      if (event.type === 'result') results.push(event.result);
    },
    ...options,
  });
  atEnd(() => toolset.dispose());
  return { toolset, results };
}

/** The contract of all adapters. */
export function contract(driver: Driver): void {
  const { name, call } = driver;

  async function one(
    args: Record<string, unknown>,
    options: ToolsOptions = {},
    run: Run = {},
  ): Promise<Answer> {
    const answers = await call(recorded(options).toolset, [bash(args)], run);
    expect(answers).toHaveLength(1);
    return answers[0] as Answer;
  }

  function expectError({ isError }: Answer, expected: boolean): void {
    if (isError !== undefined) expect(isError).toBe(expected);
  }

  describe(`the contract of adapters: ${name}`, () => {
    it('gives the output of a command', async () => {
      const answer = await one({ command: 'echo works' });
      expect(answer.text).toContain('works');
      expectError(answer, false);
    });

    it('gives a mark in place of a value that is to be redacted', async () => {
      const redact = { values: { KEY: 'k7-Q9xtZ4-mW2vB8' } };
      const command = `echo ${redact.values.KEY}; echo ${redact.values.KEY} >&2; exit 3`;
      const answer = await one({ command }, { redact });
      expect(answer.text).toContain('[redacted:KEY]');
      expect(JSON.stringify(answer)).not.toContain(redact.values.KEY);
    });

    it('reports an exit code other than 0', async () => {
      const answer = await one({ command: 'echo out; echo err >&2; exit 3' });
      expect(answer.text).toMatch(/out\n(.*\n)*err/);
      expect(answer.text).toMatch(/exit code: 3/i);
      expectError(answer, true);
    });

    it('runs a command in the sandbox of the toolset', { tags: ['sandbox'] }, async () => {
      const root = temporaryDirectory();
      const args = { command: 'echo $AGENT_BASH_SANDBOX; touch inside /etc/outside' };
      const answer = await one(args, { root, sandbox: 'workspace-write' });
      expect(answer.text).toMatch(/^workspace-write$/m);
      expect(answer.text).toContain('Read-only file system');
      expectError(answer, true);
      expect(readdirSync(root)).toEqual(['inside']);
    });

    it.skipIf(process.platform !== 'linux')('runs commands on a target, and keeps their shell', async () => {
      const target = { exec: ['sh', '-c', 'exec "$@"', 'x'] };
      const { toolset } = recorded({ target, session: 'live' });
      await call(toolset, [bash({ command: 'cd /usr; a=kept' })], {});
      const [answer] = await call(toolset, [bash({ command: 'pwd; echo $a' })], {});
      expect(answer?.text).toContain('/usr\nkept');
    });

    it('gives text for a command without output', async () => {
      const answer = await one({ command: 'true' });
      expect(answer.text.trim()).not.toBe('');
      expectError(answer, false);
    });

    it('gives both ends of an output of 5 MB', async () => {
      const answer = await one({ command: 'echo first; yes | head -c 5000000; echo last' });
      expect(answer.text).toContain('first');
      expect(answer.text).toContain('last');
      expect(answer.text.length).toBeLessThan(200_000);
    });

    it('keeps what was written before a timeout', async () => {
      const seconds = tag();
      const answer = await one({ command: `echo part; sleep ${seconds}`, timeout_ms: 300 });
      expect(answer.text).toContain('part');
      expect(answer.text).toMatch(/timed out|timeout/i);
      expectError(answer, true);
      expect(living(seconds)).toEqual([]);
    });

    it('runs nothing after an abort', async () => {
      const { toolset, results } = recorded();
      const seconds = tag();
      const run = { signal: AbortSignal.abort() };
      await Promise.allSettled([call(toolset, [bash({ command: `sleep ${seconds}` })], run)]);
      expect(living(seconds)).toEqual([]);
      // A result that there is says what was.
      for (const { text } of results) expect(text).toMatch(/abort|cancel/i);
    });

    it('ends the whole tree at an abort, and keeps what was written', async () => {
      const { toolset, results } = recorded();
      const seconds = tag();
      const abort = new AbortController();
      const command = `echo part; (setsid sleep ${seconds} &) ; sleep ${seconds}`;
      const calling = Promise.allSettled([call(toolset, [bash({ command })], { signal: abort.signal })]);
      await until(() => living(seconds).length >= 2, 'both sleep');
      abort.abort();
      await calling;
      await until(() => results.length > 0, 'the tool has settled');
      expect(results[0]?.text).toContain('part');
      expect(results[0]?.text).toMatch(/abort|cancel/i);
      await until(() => living(seconds).length === 0, 'nobody is left');
    });

    it('answers a denial of the host', async () => {
      const approve = () => ({ verdict: 'deny' as const, reason: 'not on a Sunday' });
      const answer = await one({ command: 'echo ran' }, { approve });
      expect(answer.text).toContain('not on a Sunday');
      expect(answer.text).not.toContain('ran\n');
    });

    it.runIf(driver.asks)('runs what the person approves, once', async () => {
      let asked = 0;
      const approve = () => {
        asked++;
        return 'ask' as const;
      };
      const { toolset, results } = recorded({ approve });
      const [answer] = await call(toolset, [bash({ command: 'echo approved' })], { person: 'approves' });
      expect(answer?.text).toContain('approved');
      expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
      expect(asked).toBeGreaterThan(0);
    });

    it('does not run a call that the person rejects, or that needs a person and has none', async () => {
      const { toolset, results } = recorded({ approve: () => 'ask' });
      const [answer] = await call(toolset, [bash({ command: 'echo ran' })], { person: 'rejects' });
      expect(answer?.text.trim()).not.toBe('');
      expect(answer?.text).toMatch(driver.rejection ?? /approv|declin|den|reject/i);
      expect(results.every(({ isError }) => isError)).toBe(true);
    });

    describe.runIf(driver.resumes)('resumed by another process', () => {
      async function resumed(
        person: 'approves' | 'rejects',
        approve: ToolsOptions['approve'],
      ): Promise<{ answer: Answer | undefined; ran: ToolResult[] }> {
        const first = recorded({ approve: () => 'ask' });
        const second = recorded({ approve });
        const run: Run = { person, elsewhere: second.toolset };
        const [answer] = await call(first.toolset, [bash({ command: 'echo ran' })], run);
        return { answer, ran: [...first.results, ...second.results].filter(({ isError }) => !isError) };
      }

      it('runs what the person approves', async () => {
        const { answer, ran } = await resumed('approves', () => 'ask');
        expect(answer?.text).toMatch(/^ran\n/);
        expect(ran).toHaveLength(1);
      });

      it('does not run what the person rejects', async () => {
        const { answer, ran } = await resumed('rejects', () => 'ask');
        expect(answer?.text).toMatch(driver.rejection ?? /approv|declin|den|reject/i);
        expect(ran).toEqual([]);
      });

      it('does not run what the host has come to deny', async () => {
        const { answer, ran } = await resumed('approves', () => 'deny');
        expect(answer?.text).toMatch(/den|not allowed|not require/i);
        expect(ran).toEqual([]);
      });
    });

    describe.each([[null], ['echo ran'], [['echo ran']], [7]])('arguments that are no object: %j', (args) => {
      it('are answered', async () => {
        const [answer] = await call(recorded().toolset, [{ name: 'bash', args }], {});
        expect(answer?.text).toMatch(/command|arguments|[Ii]nvalid|JSON/);
      });

      it('are answered where calls need an approval, for which they need none', async () => {
        let asked = 0;
        const approve = () => {
          asked++;
          return 'ask' as const;
        };
        const { toolset, results } = recorded({ approve });
        const [answer] = await call(toolset, [{ name: 'bash', args }], { person: 'rejects' });
        expect(answer?.text).toMatch(/command|arguments|[Ii]nvalid|JSON/);
        expect(answer?.text).not.toMatch(driver.rejection ?? /approv|declin|reject/i);
        expect(asked).toBe(0);
        expect(results.every(({ isError }) => isError)).toBe(true);
      });
    });

    it('settles at an abort while the host decides', async () => {
      const { toolset, results } = recorded({ approve: () => new Promise<never>(() => {}) });
      const abort = new AbortController();
      const calling = call(toolset, [bash({ command: 'echo ran' })], { signal: abort.signal });
      abort.abort();
      await Promise.allSettled([calling]);
      for (const { text } of results) expect(text).toMatch(/abort/);
    }, 20_000);

    it('settles when the toolset is disposed of while the host decides', async () => {
      const approve = () => {
        queueMicrotask(() => toolset.dispose());
        return new Promise<never>(() => {});
      };
      const { toolset } = recorded({ approve });
      const [answer] = await call(toolset, [bash({ command: 'echo ran' })], {});
      expect(answer?.text).toMatch(/abort|disposed/);
    }, 20_000);

    it('does not ask the person about calls that the policy decides', async () => {
      const policy = { allow: ['Bash(echo:*)'], deny: ['Bash(touch:*)'] };
      const allowed = await one({ command: 'echo ran' }, { policy });
      expect(allowed.text).toContain('ran');
      expectError(allowed, false);
      const denied = await one({ command: 'echo ran && touch x' }, { policy });
      expect(denied.text).toContain('Bash(touch:*)');
    });

    it.runIf(driver.asks)('asks the person about what the policy asks', async () => {
      const { toolset } = recorded({ policy: {} });
      const [answer] = await call(toolset, [bash({ command: 'echo approved' })], { person: 'approves' });
      expect(answer?.text).toContain('approved');
    });

    describe('a request for more than the sandbox gives', { tags: ['sandbox'] }, () => {
      /** Asks for a path, and returns the answer and what was made there. */
      async function asking(approve: ToolsOptions['approve'], run: Run = {}) {
        const place = `/var/tmp/agent-bash-test-${tag()}`;
        mkdirSync(place);
        onTestFinished(() => rmSync(place, { recursive: true, force: true }));
        const sandbox = { level: 'workspace-write', escalate: 'ask' } as const;
        const { toolset } = recorded({ root: temporaryDirectory(), sandbox, approve });
        const args = { command: `touch ${place}/made`, allow_writes: [place], reason: 'to publish' };
        const [answer] = await call(toolset, [bash(args)], run);
        return { answer, made: readdirSync(place) };
      }

      it('runs with what the host grants of it', async () => {
        const granted = await asking(({ escalation }) => (escalation === null ? 'deny' : 'allow'));
        expect(granted.made).toEqual(['made']);
        const less = await asking(() => ({ verdict: 'allow', sandbox: {} }));
        expect(less.answer?.text).toContain('was granted nothing');
        expect(less.made).toEqual([]);
      });

      it('does not run where the host denies it', async () => {
        const { answer, made } = await asking(() => ({ verdict: 'deny', reason: 'not on a Sunday' }));
        expect(answer?.text).toContain('not on a Sunday');
        expect(made).toEqual([]);
      });

      it('is granted by nobody but a person where the host has no `approve`', async () => {
        const { answer, made } = await asking(undefined, { person: 'rejects' });
        expect(answer?.text).toMatch(driver.rejection ?? /approv|declin|den|reject|nobody can be asked/i);
        expect(made).toEqual([]);
      });

      it.runIf(driver.asks)('runs with what a person approves', async () => {
        const { made } = await asking(undefined, { person: 'approves' });
        expect(made).toEqual(['made']);
      });
    });

    it('answers wrong arguments', async () => {
      const answer = await one({ comand: 'echo ran' });
      expect(answer.text).toMatch(/command/);
      expectError(answer, true);
    });

    it('takes null, numbers as text and unknown arguments', async () => {
      const answer = await one({ command: 'echo works', timeout_ms: '5000', cwd: null, other: true });
      expect(answer.text).toContain('works');
      expectError(answer, false);
    });

    it('answers several calls of a turn, in their order', async () => {
      const { toolset } = recorded();
      const calls = [0.3, 0.1, 0].map((pause, index) =>
        bash({ command: `sleep ${pause}; echo answer ${index}` }),
      );
      const answers = await call(toolset, calls, {});
      expect(answers).toHaveLength(3);
      for (const [index, { text }] of answers.entries()) expect(text).toContain(`answer ${index}`);
    });

    // Both wait for seconds, and do so at the same time.
    it.concurrent('waits for a host that takes long to decide', async ({ onTestFinished }) => {
      const approve = () => deliberateDelay(4_000).then(() => 'allow' as const);
      const { toolset } = recorded({ approve }, onTestFinished);
      const [answer] = await call(toolset, [bash({ command: 'echo works' })], {});
      expect(answer?.text).toContain('works');
    });

    it.concurrent('settles eight calls of 5 MB at once, of which four time out', async ({
      onTestFinished,
    }) => {
      const { toolset, results } = recorded({}, onTestFinished);
      const seconds = tag();
      const calls = Array.from({ length: 8 }, (_, index) => {
        const command = `echo part ${index}; ${FIVE_MB}; echo; echo last ${index}`;
        const isSlow = index % 2 === 1;
        return bash(isSlow ? { command: `${command}; sleep ${seconds}`, timeout_ms: 5_000 } : { command });
      });
      const answers = await call(toolset, calls, {});
      expect(answers).toHaveLength(8);
      for (const [index, answer] of answers.entries()) {
        const isSlow = index % 2 === 1;
        expect(answer.text).toContain(`part ${index}\n`);
        expect(answer.text).toMatch(isSlow ? /timed out|timeout/i : `last ${index}`);
        expect(answer.text.length).toBeLessThan(200_000);
        expectError(answer, isSlow);
      }
      expect(results).toHaveLength(8);
      expect(living(seconds)).toEqual([]);
    }, 60_000);

    it('settles eight calls of 5 MB at an abort, each with what it had written', async () => {
      const { toolset, results } = recorded();
      const seconds = tag();
      const abort = new AbortController();
      const calls = Array.from({ length: 8 }, (_, index) =>
        bash({ command: `echo part ${index}; ${FIVE_MB}; sleep ${seconds}` }),
      );
      const calling = Promise.allSettled([call(toolset, calls, { signal: abort.signal })]);
      await until(() => living(`sleep\0${seconds}`).length === 8, 'all sleep');
      abort.abort();
      await calling;
      await until(() => results.length === 8, 'all tools have settled');
      for (const { text, isError } of results) {
        expect(text).toMatch(/^part \d\n/);
        expect(text).toMatch(/abort|cancel/i);
        expect(isError).toBe(true);
      }
      await until(() => living(seconds).length === 0, 'nobody is left');
    }, 60_000);

    it('warns of no leak when many calls share a signal', async () => {
      const warnings: Error[] = [];
      const listener = (warning: Error) => warnings.push(warning);
      process.on('warning', listener);
      try {
        const calls = Array.from({ length: 20 }, () => bash({ command: 'sleep 0.1; echo works' }));
        const { toolset } = recorded({ approve: () => 'allow' });
        const answers = await call(toolset, calls, { signal: new AbortController().signal });
        for (const { text } of answers) expect(text).toContain('works');
        // Node.js reports a warning in a later turn.
        await setImmediate();
      } finally {
        process.off('warning', listener);
      }
      // Some SDKs add listeners of their own.
      const ours = warnings.filter(({ stack }) => stack?.includes('/node_modules/agent-bash/'));
      expect(ours).toEqual([]);
    });

    it('answers when the toolset is disposed of', async () => {
      const { toolset } = recorded();
      await toolset.dispose();
      const [answer] = await call(toolset, [bash({ command: 'echo ran' })], {});
      expect(answer?.text).toMatch(/dispos/i);
    });
  });
}
