import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Jobs, Overlay, type RedactOptions, type RunOptions, run, ShellSession } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { leaksOnlyWithout, MARK, QUOTED, redact, VALUE } from './support.js';

/** The command prints the value in two writes. Each place also gets the command itself. */
const COMMAND = `printf %s '${VALUE.slice(0, 7)}'; sleep 0.02; echo '${VALUE.slice(7)}'; : ${QUOTED}`;

type Options = RunOptions & { redact?: RedactOptions | undefined };

/** Returns the lines of a recording, and all of its output in one. */
async function recorded(options: Options): Promise<unknown> {
  const file = join(temporaryDirectory(), 'recording.cast');
  await run(COMMAND, { ...options, record: file });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line.replace(/^#agent-bash /, '')));
  const output = events.filter((event) => Array.isArray(event) && event[1] === 'o');
  return [events, output.map(([, , text]) => text).join('')];
}

async function spilled(own: RedactOptions | undefined): Promise<string> {
  await using result = await run(COMMAND, { redact: own, output: { spill: true } });
  return readFileSync(result.spillPath as string, 'utf8');
}

async function traced(own: RedactOptions | undefined): Promise<unknown> {
  const seen: unknown[] = [];
  const note = (message: unknown) => seen.push(message);
  const channels = ['agent-bash:command:start', 'agent-bash:command:end'];
  for (const channel of channels) subscribe(channel, note);
  await run(COMMAND, { redact: own });
  for (const channel of channels) unsubscribe(channel, note);
  return seen;
}

/** Starts a job, and returns what `show` returns once the job is over. */
async function ofJob(
  own: RedactOptions | undefined,
  show: (job: ReturnType<Jobs['start']>) => unknown,
  options: object = {},
): Promise<unknown> {
  await using jobs = new Jobs();
  const job = jobs.start(COMMAND, { redact: own, ...options });
  await job.result;
  return show(job);
}

async function loop(own: RedactOptions | undefined): Promise<string> {
  await using jobs = new Jobs();
  let text = '';
  for await (const { text: piece } of jobs.start(COMMAND, { redact: own })) text += piece;
  return text;
}

async function events(own: RedactOptions | undefined): Promise<string> {
  await using jobs = new Jobs();
  const job = jobs.start(COMMAND, { redact: own });
  let text = '';
  job.on('data', (chunk) => {
    text += chunk;
  });
  await job.result;
  return text;
}

async function inSession(own: RedactOptions | undefined, keep: 'process' | 'state'): Promise<unknown> {
  await using session = new ShellSession({ redact: own, keep });
  return [await session.run(COMMAND), await session.start(COMMAND).result];
}

async function movedToBackground(own: RedactOptions | undefined): Promise<unknown> {
  await using jobs = new Jobs();
  const command = `echo ${QUOTED}; sleep 0.2; echo ${QUOTED}`;
  const partial = await run(command, { redact: own, timeout: 100, onTimeout: 'background', jobs });
  const job = jobs.get(partial.jobId as string);
  return [partial, await job?.result, job?.read(0)];
}

async function denied(own: RedactOptions | undefined): Promise<unknown> {
  const policy = { ask: ['Bash(*)'] };
  const asked: unknown[] = [];
  const result = await run(COMMAND, {
    redact: own,
    policy,
    approve: (decision) => {
      asked.push({ ...decision, token: '' });
      return 'deny';
    },
  });
  return [asked, result];
}

/** Where agent-bash gives out what a command has written, or what is known about it. */
const SINKS: Record<string, (own: RedactOptions | undefined) => unknown> = {
  'the result': (own) => run(COMMAND, { redact: own }),
  'the result as bytes': async (own) => {
    const { stdout, stderr, output } = await run(COMMAND, { redact: own, encoding: 'buffer' });
    return [stdout, stderr, output];
  },
  'both streams in one': (own) => run(`(${COMMAND}) >&2`, { redact: own, output: { merge: true } }),
  'plain text': (own) => run(COMMAND, { redact: own, output: { stripAnsi: true } }),
  'the view': async (own) => (await run(COMMAND, { redact: own, output: { view: true } })).view,
  'the file of the whole output': spilled,
  'the error of a failed command': (own) =>
    run(`${COMMAND}; exit 3`, { redact: own, reject: true }).catch((error) => error),
  'the error of a missing program': async (own) => (await run([`/no/${VALUE}`], { redact: own })).error,
  'the error of a program that can’t start': async (own) =>
    (await run(COMMAND, { redact: own, cwd: `/no/${VALUE}` })).error,
  'a job’s command': (own) => ofJob(own, ({ command }) => command),
  'a job’s read()': (own) => ofJob(own, (job) => job.read(0)),
  'a job’s events': events,
  'a job’s loop': loop,
  'a job’s screen': (own) => ofJob(own, (job) => job.screen(), { pty: { cols: 120, rows: 10 } }),
  'the lines above a screen': (own) =>
    ofJob(own, (job) => job.screen({ scrollback: 100 }), { pty: { cols: 120, rows: 1 } }),
  'a result in the background': movedToBackground,
  'a session': (own) => inSession(own, 'process'),
  'a session of states': (own) => inSession(own, 'state'),
  'a recording': (own) => recorded({ redact: own }),
  'a recording of a terminal': (own) => recorded({ redact: own, pty: true }),
  'the events for tracing': traced,
  'a question and a refusal': denied,
};

describe('a value', () => {
  it.each(Object.entries(SINKS))('is not in %s', async (_, show) => {
    await leaksOnlyWithout(show);
  });

  it('is not in what a target returns', async () => {
    const target = { exec: ['sh', '-c', 'exec sh'] };
    await leaksOnlyWithout((own) => run(COMMAND, { redact: own, target }));
  });

  it('is not in what a session’s shell writes by itself', async () => {
    const trap = `trap 'echo ${QUOTED.replaceAll("'", `'\\''`)}' EXIT`;
    await leaksOnlyWithout(async (own) => {
      const session = new ShellSession({ redact: own });
      await session.run(trap);
      return session.close();
    });
  });

  it('is not in the prompt at which a command waits', async () => {
    await leaksOnlyWithout(async (own) => {
      await using jobs = new Jobs();
      const command = `read -p '${VALUE}? ' answer`;
      const job = jobs.start(command, { redact: own, pty: true });
      const wait = await new Promise((resolve) => job.on('waiting', resolve));
      const screen = job.screen();
      job.kill();
      return [wait, screen];
    });
  });
});

describe('a value in a sandbox', { tags: ['sandbox'] }, () => {
  it('is not in the hosts that were refused', async () => {
    const value = 'k7q9xtz4mw2vb8';
    const command = `curl -s http://${value}.example.com; cat < /dev/tcp/${value}.example.com/80; true`;
    const show = async (own: RedactOptions | undefined) =>
      (
        await run(command, {
          redact: own,
          root: temporaryDirectory(),
          sandbox: { level: 'workspace-write', network: { allow: ['example.org:443'] } },
        })
      ).sandbox?.refused;
    expect(JSON.stringify(await show(undefined))).toContain(value);
    expect(JSON.stringify(await show({ values: { KEY: value } }))).not.toContain(value);
  });

  it('is not in the diff of an overlay', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'settings'), 'key=\n');
    const overlay = new Overlay({ root });
    await run(`echo key=${QUOTED} > settings`, { overlay });
    expect(await overlay.diff()).toContain(`+key=${VALUE}\n`);
    expect(await overlay.diff({ redact })).toContain(`+key=${MARK}\n`);
    await overlay.discard();
  });
});

describe('a terminal', () => {
  it('shows what was typed at once, up to three bytes of what may be a value', async () => {
    await using jobs = new Jobs();
    const job = jobs.start('read -r line; echo "got $line"', { pty: true, redact });
    job.write(VALUE.slice(0, 2));
    await job.waitForScreen(VALUE.slice(0, 2));
    job.write(`${VALUE.slice(2)}\r`);
    const { stdout } = await job.result;
    expect(stdout).not.toContain(VALUE);
    expect(stdout).toContain(`got ${MARK}`);
  });
});

describe('without redact', () => {
  it('nothing is replaced', async () => {
    expect((await run(`echo ${QUOTED}`)).stdout).toBe(`${VALUE}\n`);
    expect((await run(`echo ${QUOTED}`, { redact: {} })).stdout).toBe(`${VALUE}\n`);
  });
});
