// Measures commands on a target beside the same transport by hand, which starts once for each command.
//
//   npm run build && node bench/target.mjs --target ssh:build [--engine 'podman --runtime runc'] [--runs 20]
//
// The transport of --target "exec:node $PWD/bench/lib/delay.mjs 25" delays all bytes by 25 ms each way.
//
// Both sides are run() of this library, so that what reads the output is the same.

import { parseArgs } from 'node:util';
import { TARGET_OPTIONS, targetOf } from '../bundle/cli-target.cjs';
import { run, Target } from '../entry/index.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const AT_ONCE = 64;
const MEBIBYTES = 256;
const INPUT_MEGABYTES = 10;
const INPUT = Buffer.alloc(INPUT_MEGABYTES * 1e6, 'x');
const FLOOD = `head -c ${MEBIBYTES * 2 ** 20} /dev/zero`;

const types = { runs: { default: '20' } };
for (const name of Object.keys(TARGET_OPTIONS)) types[name] = {};
const { values } = parseArgs({
  options: Object.fromEntries(
    Object.entries(types).map(([name, more]) => [name, { type: 'string', ...more }]),
  ),
});
const runs = Number(values.runs);
const options = targetOf('bench', { target: 'exec:env', ...values });

/** Returns the transport's program and arguments, up to the words that run there. */
function transportOf({ container, ssh, exec }) {
  if (exec !== undefined) return exec;
  if (ssh !== undefined) return ['ssh', '-T', '--', ssh.host];
  const engine = container.engine ?? ['podman'];
  if (container.name !== undefined) return [...engine, 'exec', '-i', container.name];
  return [...engine, 'run', '-i', '--rm', '--network', 'none', container.image];
}

async function must(promise) {
  const { exitCode, error, stderr } = await promise;
  if (exitCode !== 0) throw new Error(error?.message ?? stderr);
}

const transport = transportOf(options);
const words = (command) => (options.ssh === undefined ? ['sh', '-c', command] : [command]);
const byHand = (command, more) => must(run([...transport, ...words(command)], more));

/** Returns how long a command takes that has to connect, without the end of the connection. */
async function first() {
  const target = new Target(options);
  const time = await timed(() => must(run(['true'], { target })));
  await target.dispose();
  return time;
}

async function times(count, work) {
  const all = [];
  for (let done = 0; done < count; done++) all.push(await work());
  return median(all);
}

const target = new Target(options);
const there = (command, more) => must(run(command, { target, ...more }));
const atOnce = (command) => timed(() => Promise.all(Array.from({ length: AT_ONCE }, command)));
await there(['true']);
await byHand('true');

const firsts = [];
const hands = [];
for (let count = 0; count < runs; count++) {
  firsts.push(await first());
  hands.push(await timed(() => byHand('true')));
}
const rows = [
  ['the first command', median(hands), median(firsts)],
  ['the next command', median(hands), await times(runs * 5, () => timed(() => there(['true'])))],
  [
    `${AT_ONCE} commands at once`,
    await atOnce(() => byHand('true')),
    await times(5, () => atOnce(() => there(['true']))),
  ],
  [
    `${INPUT_MEGABYTES} MB of input`,
    await times(5, () => timed(() => byHand('cat >/dev/null', { input: INPUT }))),
    await times(5, () => timed(() => there(['sh', '-c', 'cat >/dev/null'], { input: INPUT }))),
  ],
  [
    `${MEBIBYTES} MiB of output`,
    await times(5, () => timed(() => byHand(FLOOD))),
    await times(5, () => timed(() => there(['sh', '-c', FLOOD]))),
  ],
];
await target.dispose();
console.log('| ms | by hand | target | ratio |\n|---|---|---|---|');
for (const [name, hand, own] of rows)
  console.log(`| ${name} | ${hand.toFixed(1)} | ${own.toFixed(1)} | ${(own / hand).toFixed(2)} |`);
