// Measures what a sandbox adds to `/bin/true`, for each mechanism and beside bubblewrap in the same run.
//
//   npm run build && node bench/sandbox.mjs [--runs 100]
//
// Weaker machines are made by namespaces around this program. bubblewrap is run by hand, with what it needs
// to do the same, by the same library without a sandbox; so are the sandboxes of other agents, if they are
// installed (lib/other-sandboxes.mjs says how).

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../entry/index.mjs';
import { endOtherSandboxes, otherSandboxes } from './lib/other-sandboxes.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100' }, on: { type: 'string' } },
});
const RUNS = Number(values.runs);
const AT_ONCE = 64;

/** Machines that can do less: the name, and a shell script before this program. */
const MACHINES = {
  'no process table of its own': 'mount -t tmpfs none /proc/sys; exec "$@"',
  'Landlock alone':
    'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
};

const BWRAP = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];

/** Returns the cases of a machine: the name, the command (or a function that makes it) and the options. */
async function casesOf(root) {
  const sandboxed = (sandbox) => ({ root, sandbox: { onUnavailable: 'weaker', ...sandbox } });
  const own = (name, sandbox) => [name, ['/bin/true'], sandboxed(sandbox)];
  if (values.on !== undefined) {
    return [
      own(`${values.on}: read-only`, { level: 'read-only' }),
      own(`${values.on}: workspace-write`, { level: 'workspace-write' }),
    ];
  }
  const bind = ['--bind', root, root];
  const protect = ['--ro-bind', join(root, 'memo'), join(root, 'memo')];
  return [
    ['no sandbox', ['/bin/true'], {}],
    ['bubblewrap: users and processes', [...BWRAP, '--unshare-pid', '/bin/true'], {}],
    [
      'bubblewrap: all namespaces, a protected path',
      [...BWRAP, ...bind, ...protect, '--unshare-all', '/bin/true'],
      {},
    ],
    own('read-only', { level: 'read-only' }),
    own('workspace-write', { level: 'workspace-write' }),
    own('workspace-write, network loopback', { level: 'workspace-write', network: 'loopback' }),
    own('workspace-write, a protected path', { level: 'workspace-write', protected: ['memo'] }),
    own('workspace-write, a stub', { level: 'workspace-write', protected: ['missing'] }),
    own('isolated', { level: 'isolated' }),
    ...(await otherSandboxes(root)),
  ];
}

/** Measures the cases in turns, so that other programs disturb all alike. */
async function measure(root) {
  const cases = (await casesOf(root)).map(([name, command, options]) => ({
    name,
    once: async () => run(typeof command === 'function' ? await command() : command, options),
    times: [],
  }));
  for (const { name, once } of cases) {
    const { exitCode, error, stderr } = await once();
    if (exitCode !== 0) throw new Error(`${name}: ${error?.message ?? stderr}`);
  }
  for (let count = 0; count < RUNS; count++) {
    for (const { once, times } of cases) times.push(await timed(once));
  }
  const measured = [];
  for (const { name, once, times } of cases) {
    const all = () => Promise.all(Array.from({ length: AT_ONCE }, once));
    const batches = [];
    for (let count = 0; count < 3; count++) batches.push(await timed(all));
    measured.push({ name, ms: median(times), atOnceMs: median(batches) });
  }
  return measured;
}

/** Measures on a machine that can do less. */
function measureOn(name, script) {
  const words = [
    '--user',
    '--map-root-user',
    '--mount',
    '--pid',
    '--fork',
    '--mount-proc',
    'sh',
    '-c',
    script,
  ];
  const again = ['sh', process.execPath, import.meta.filename ?? process.argv[1], '--on', name];
  const text = execFileSync('unshare', [...words, ...again, '--runs', `${RUNS}`], { encoding: 'utf8' });
  return JSON.parse(text);
}

const root = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
mkdirSync(join(root, 'memo'));
try {
  const measured = await measure(root);
  if (values.on !== undefined) console.log(JSON.stringify(measured));
  else {
    for (const [name, script] of Object.entries(MACHINES)) measured.push(...measureOn(name, script));
    const bwrap = measured.find(({ name }) => name.includes('all namespaces'));
    console.log('| | ms | of bubblewrap | 64 at once, ms | of bubblewrap |\n|---|---|---|---|---|');
    for (const { name, ms, atOnceMs } of measured) {
      const ratios = [ms / bwrap.ms, atOnceMs / bwrap.atOnceMs].map((ratio) => ratio.toFixed(2));
      console.log(`| ${name} | ${ms.toFixed(2)} | ${ratios[0]} | ${atOnceMs.toFixed(0)} | ${ratios[1]} |`);
    }
  }
} finally {
  await endOtherSandboxes();
  rmSync(root, { recursive: true, force: true });
}
