// Writes cases.json: the commands of the conformance suite for each dialect, with what our tools
// answer to them now. Read the difference before it is committed: it is what models will read.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { play } from './suite.mjs';

const require = createRequire(import.meta.url);
const { createTools, dialects } = require('../../../entry/tools.js');

/** Long enough that a command has printed before, also on a busy machine. */
const SHORT = { timeout: 1_000 };

/**
 * The arguments of a dialect's main tool for a command, the options of its toolset, and its steps for jobs.
 */
const ways = {
  bash: {
    // The length of a file's name would decide how many lines a view has room for.
    long: { output: { spill: false } },
    jobs: {
      start: (command) => ({ args: { command, background: true } }),
      read: (id) => ({ tool: 'bash_read', args: { job: id } }),
      kill: (id) => ({ tool: 'bash_kill', args: { job: id } }),
      list: { tool: 'bash_list', args: {} },
      output: (id, args) => ({ tool: 'bash_output', args: { job: id, ...args } }),
    },
  },
  'claude-code': {
    short: { timeout: { default: 1_000, on: 'kill' } },
    jobs: {
      start: (command) => ({ args: { command, run_in_background: true } }),
      read: (id) => ({ tool: 'BashOutput', args: { bash_id: id } }),
      kill: (id) => ({ tool: 'KillShell', args: { shell_id: id } }),
      list: { tool: 'BashList', args: {} },
      options: { listTool: true },
    },
  },
  'openai-shell': { args: (command) => ({ commands: typeof command === 'string' ? [command] : command }) },
  'openai-local-shell': {
    args: (command) => ({
      command: typeof command === 'string' && command.trim() ? ['bash', '-c', command] : command,
    }),
    missing: { command: ['agent-bash-no-such-program'] },
  },
  'codex-shell': {
    args: (command) => ({
      command: typeof command === 'string' && command.trim() ? ['bash', '-c', command] : command,
    }),
    missing: { command: ['agent-bash-no-such-program'] },
  },
  'codex-exec': {
    args: (command) => ({ cmd: command, login: false }),
    jobs: {
      start: (command) => ({ args: { cmd: command, login: false, yield_time_ms: 250 } }),
      read: (id) => ({ tool: 'write_stdin', args: { session_id: id } }),
      kill: (id) => ({ tool: 'write_stdin', args: { session_id: id, chars: '\u0003' } }),
      list: { tool: 'list_sessions', args: {} },
      options: { listTool: true },
    },
  },
  'oh-my-pi': {
    jobs: {
      start: (command) => ({ args: { command, async: true } }),
      read: (id) => ({ tool: 'job', args: { poll: [id] } }),
      kill: (id) => ({ tool: 'job', args: { cancel: [id] } }),
      list: { tool: 'job', args: { list: true } },
      options: { async: true },
    },
  },
  gemini: {
    jobs: {
      start: (command) => ({ args: { command, is_background: true, delay_ms: 100 } }),
      read: (id) => ({ tool: 'read_background_output', args: { pid: id } }),
      list: { tool: 'list_background_processes', args: {} },
    },
  },
};

function casesOf(dialect) {
  const {
    args = (command) => ({ command }),
    options = {},
    short = SHORT,
    long = {},
    missing,
    jobs,
  } = ways[dialect] ?? {};
  const one = (title, command, more = {}, own = {}) => ({
    title,
    options: { ...options, ...own },
    steps: [{ args: args(command), ...more }],
  });
  const cases = [
    one('no output', 'true'),
    one('a failure', 'false'),
    one('output', 'echo hi'),
    one('both streams', 'echo out; sleep 0.05; echo err >&2'),
    one('no line break at the end', "printf 'no newline'"),
    one('an exit code', 'exit 7'),
    one('a death by signal', 'kill -9 $$'),
    one('a timeout', 'sleep 99', {}, short),
    one('a timeout after output', 'echo part; sleep 99', {}, short),
    one('an abort', 'echo part; sleep 99', { abortMs: 1_000 }),
    one('an abort before the start', 'echo never', { abortMs: 0 }),
    one(
      'a timeout of a command that ignores SIGTERM',
      "trap '' TERM; echo deaf; while :; do sleep 1; done",
      {},
      short,
    ),
    one(
      'a child in a session of its own',
      "setsid sh -c ': >left; exec sleep 3' >/dev/null 2>&1 & until [ -e left ]; do sleep 0.01; done; echo x",
    ),
    one('a child in the background', 'sleep 3 >/dev/null 2>&1 & echo x'),
    one('five megabytes', 'yes 0123456789 | head -c 5000000', {}, long),
    one('long output of wide characters', `printf '\\360\\237\\230\\200%.0s' {1..60000}`, {}, long),
    one('bytes that are not UTF-8', String.raw`printf '\xff\xfe'`),
    one(
      'colours and a progress bar',
      String.raw`printf '\033[31mred\033[0m\n'; printf '10%%\r50%%\r100%%\n'`,
    ),
    one('a read of standard input', 'cat; echo end'),
    one('a syntax error', "bash -c 'echo \"abc'"),
    missing
      ? { title: 'a missing program', options, steps: [{ args: missing }] }
      : one('a missing program', 'agent-bash-no-such-program 2>/dev/null'),
    {
      title: 'a missing directory',
      options: { ...options, cwd: '{dir}/none' },
      steps: [{ args: args('true') }],
    },
    { title: 'no usable command', options, steps: [{ args: args('  ') }, { args: {} }, { args: args(5) }] },
    one('properties that there are not, and null', 'echo fine', { more: { nothing: 1, description: null } }),
    one('a comment at the end', 'echo hi # note'),
    one('a here-document', 'cat <<EOF\none\ntwo\nEOF'),
    one("an end marker of others' tools", "echo '<<exit>>'; echo more"),
    one('a substitution', 'echo "$(printf \'a  b\')"'),
    one('a function and a loop', 'f() { for i in 1 2 3; do echo "$i"; done; }\nf'),
    one('disposal while it runs', 'echo part; sleep 99', { disposeMs: 1_000 }),
    one('standard error alone', 'echo err >&2'),
    one('output and an exit code', 'echo out; exit 7'),
    one('a command that the policy denies', 'touch x', {}, { policy: { deny: ['Bash(touch:*)'] } }),
    {
      title: 'what is kept from call to call',
      options,
      steps: [
        { args: args('mkdir sub; cd sub; A=1') },
        { args: args('echo "[$A]"; [ -d sub ] && echo top || echo sub') },
      ],
    },
  ];
  if (jobs) {
    const own = { ...options, ...jobs.options };
    // The job writes nothing before the answer to the start, and everything before the read.
    const start = jobs.start('sleep 0.5; echo one; echo two; exit 3');
    const last = '{job}';
    const later = { ...jobs.read(last), delayMs: 3_000 };
    cases.push(
      { title: 'a job is read until its end', options: own, steps: [start, later, jobs.read(last)] },
      { title: 'an unknown job', options: own, steps: [jobs.read('999999')] },
      { title: 'no jobs are listed', options: own, steps: [jobs.list] },
      {
        title: 'a table that is full',
        options: { ...own, jobs: { maxRunning: 1 } },
        steps: [jobs.start('sleep 99'), jobs.start('sleep 99')],
      },
      {
        title: 'a disposal ends jobs',
        options: own,
        steps: [jobs.start('sleep 99'), { dispose: true }, jobs.read(last)],
      },
    );
    if (jobs.output) {
      const command = 'sleep 0.5; for i in {1..9}; do echo "line $i"; done; echo "a.c:7: error: here"';
      const parts = [
        { from: 2, to: 4 },
        { from: 9 },
        { from: 11 },
        { find: 'error' },
        { find: 'line', from: 8 },
        {},
      ];
      const [first, ...others] = parts.map((part) => jobs.output(last, part));
      const steps = [jobs.start(command), { ...first, delayMs: 3_000 }, ...others];
      cases.push({ title: 'output is shown again', options: own, steps });
    }
    if (jobs.kill) {
      const steps = [jobs.start('sleep 99'), jobs.kill(last), { ...jobs.kill(last), delayMs: 500 }];
      cases.push({ title: 'a job is killed, and killed again', options: own, steps });
    }
  }
  return cases.map((one, index) => ({ number: index + 1, ...one }));
}

async function played(dialect, one) {
  const directory = mkdtempSync(join(tmpdir(), 'agent-bash-conformance-'));
  try {
    return { ...one, expected: await play(one, (options) => createTools(dialect, options), directory) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Cases played at the same time. More would use up the time limits of 300 ms that some of them have on a busy
 * machine.
 */
const AT_ONCE = 4;

async function playedInTurn(dialect, cases) {
  const all = new Array(cases.length);
  const rest = cases.entries();
  const worker = async () => {
    for (const [index, one] of rest) all[index] = await played(dialect, one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return all;
}

const all = {};
for (const dialect of dialects) all[dialect] = await playedInTurn(dialect, casesOf(dialect));
writeFileSync(new URL('cases.json', import.meta.url), `${JSON.stringify(all, null, 1)}\n`);
