// Measures copies to and from a target beside scp, rsync and tar over ssh, and beside `podman cp`.
//
//   npm run build && node bench/files.mjs [--mib 1024] [--files 10000] [--runs 3] [--trips 0,50]
//   node bench/files.mjs --container NAME [--engine 'podman --runtime runc']
//
// Starts a server of ssh on the loopback interface, with a delay of its bytes for each round trip (ms). Each
// copy logs in anew and is measured in turn with the others, so that a busy machine slows all of them. Prints
// medians, and the ratio to the first other program. With a round trip, a tenth of the files are copied: scp
// waits several round trips for each.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, Target } from '../entry/index.mjs';
import { startSshd } from './lib/sshd.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    files: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '3' },
    trips: { type: 'string', default: '0,50' },
    container: { type: 'string' },
    engine: { type: 'string', default: 'podman' },
  },
});
const directory = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
const at = (name) => join(directory, name);
const quoted = (path) => `'${path}'`;

/** Writes a file of this size, or a tree with so many small files. */
function writeSource(name, mib, files) {
  if (files === 0) {
    execFileSync('sh', ['-c', `head -c ${mib * 2 ** 20} /dev/urandom >${quoted(at(name))}`]);
    return;
  }
  for (let index = 0; index < files; index++) {
    const folder = at(`${name}/${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${index}`), `${index} `.repeat(100));
  }
}

const isHere = (program) => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};

async function must(command) {
  const { exitCode, stderr } = await run(command, { timeout: 3_600_000 });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

/** Copies by this library, over a connection that is made for it. */
async function byTarget(options, isToTarget, from, to) {
  const target = new Target(options);
  try {
    await (isToTarget ? target.copyTo(from, to) : target.copyFrom(from, to));
  } finally {
    await target.dispose();
  }
}

/** Returns the ways over ssh: each copies from one path to another, in one direction. */
function sshWays(config) {
  const options = { ssh: { host: 'box', config } };
  const there = (path) => `box:${path}`;
  const ends = (isToTarget, from, to) => (isToTarget ? [from, there(to)] : [there(from), to]);
  const ssh = ['ssh', '-F', config, 'box'];
  const all = {
    'agent-bash': (isToTarget, from, to) => byTarget(options, isToTarget, from, to),
    scp: (...copy) => must(['scp', '-qr', '-F', config, ...ends(...copy)]),
    rsync: (isToTarget, from, to) => {
      const source = statSync(from).isDirectory() ? `${from}/` : from;
      return must(['rsync', '-aW', '-e', `ssh -F ${config}`, ...ends(isToTarget, source, to)]);
    },
    'tar over ssh': (isToTarget, from, to) => {
      const pack = `tar -C ${quoted(directory)} -cf - ${quoted(from.slice(directory.length + 1))}`;
      const unpack = `mkdir ${quoted(to)} && tar -C ${quoted(to)} -xf -`;
      const [first, second] = isToTarget
        ? [pack, `${ssh.join(' ')} ${JSON.stringify(unpack)}`]
        : [`${ssh.join(' ')} ${JSON.stringify(pack)}`, unpack];
      return must(['sh', '-c', `${first} | (${second})`]);
    },
  };
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => ['agent-bash', 'tar over ssh'].includes(name) || isHere(name)),
  );
}

/** Returns the ways into a container. */
function containerWays(name, engine) {
  const container = { engine: engine.split(' '), name };
  return {
    'agent-bash': (...copy) => byTarget({ container }, ...copy),
    [`${container.engine[0]} cp`]: (isToTarget, from, to) => {
      const ends = isToTarget ? [from, `${name}:${to}`] : [`${name}:${from}`, to];
      return must([...container.engine, 'cp', ...ends]);
    },
  };
}

/** Measures all ways in turn, in both directions, and prints a row for each direction. */
async function measure(title, ways, source, place) {
  const times = new Map();
  const note = (name, time) => times.set(name, [...(times.get(name) ?? []), time]);
  for (let round = 0; round < Number(values.runs); round++) {
    for (const [way, copy] of Object.entries(ways)) {
      const there = join(place.there, `there-${round}-${way.replaceAll(' ', '-')}`);
      const here = at(`here-${round}-${way.replaceAll(' ', '-')}`);
      const from = way.startsWith('tar') ? at(source) : there;
      note(`to ${way}`, await timed(() => copy(true, at(source), there)));
      note(`from ${way}`, await timed(() => copy(false, from, here)));
      rmSync(here, { recursive: true });
      await place.remove(there);
    }
  }
  for (const direction of ['to', 'from']) {
    const medians = Object.keys(ways).map((way) => median(times.get(`${direction} ${way}`)));
    const texts = medians.map((time) => `${(time / 1_000).toFixed(2)} s`);
    const ratio = (medians[0] / medians[1]).toFixed(2);
    console.log(`| ${title}, ${direction} the target | ${texts.join(' | ')} | ${ratio} |`);
  }
}

function printHead(ways) {
  const names = Object.keys(ways);
  console.log(
    `| | ${names.join(' | ')} | ${names[0]} / ${names[1]} |\n|---|${'---|'.repeat(names.length + 1)}`,
  );
}

const mib = Number(values.mib);
const files = Number(values.files);
const few = Math.ceil(files / 10);
writeSource('large', mib, 0);
writeSource('many', 0, files);
writeSource('few', 0, few);
try {
  if (values.container !== undefined) {
    const ways = containerWays(values.container, values.engine);
    const exec = [...values.engine.split(' '), 'exec', values.container];
    const place = { there: '/tmp', remove: (path) => must([...exec, 'rm', '-rf', path]) };
    printHead(ways);
    await measure(`${mib} MiB`, ways, 'large', place);
    await measure(`${files} files`, ways, 'many', place);
  } else {
    const sshd = await startSshd();
    try {
      const place = { there: directory, remove: (path) => rmSync(path, { recursive: true }) };
      for (const trip of values.trips.split(',').map(Number)) {
        const ways = sshWays(await sshd.config(trip));
        await run('true', { target: { ssh: { host: 'box', config: await sshd.config(0) } } });
        if (trip === Number(values.trips.split(',')[0])) printHead(ways);
        const count = trip === 0 ? files : few;
        await measure(`${mib} MiB, ${trip} ms`, ways, 'large', place);
        await measure(`${count} files, ${trip} ms`, ways, trip === 0 ? 'many' : 'few', place);
      }
    } finally {
      sshd.stop();
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
