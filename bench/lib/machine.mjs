// Describes the machine and the versions of a measurement.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release } from 'node:os';
import { BENCH } from './places.mjs';
import { flag, shell } from './shell.mjs';

/**
 * @param peers those that were measured
 * @param load the load before
 */
export function describeMachine(peers, load) {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    kernel: release(),
    processor: cpus()[0].model,
    processors: availableParallelism(),
    load,
    shell: `${shell} ${flag}`,
    versions: Object.fromEntries(
      peers.filter(({ package: path }) => path).map(({ package: path }) => nameAndVersion(`${BENCH}${path}`)),
    ),
  };
}

/** Returns the description in one line. */
export function machineLine({ processors, processor, kernel, node, shell }) {
  return `${processors} × ${processor}, Linux ${kernel}, Node ${node}, ${shell}`;
}

/** Returns date, machine and versions. */
export function conditions(machine) {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  return `${machine.date}: ${machineLine(machine)}; ${versions.join(', ')}; load before: ${machine.load.toFixed(1)}.`;
}

/** Returns the description in lines of at most `width` characters. */
export function conditionLines(machine, width) {
  const lines = [''];
  for (const word of conditions(machine).split(' ')) {
    if (lines.at(-1).length + word.length >= width) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

function nameAndVersion(directory) {
  const { name, version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'));
  return [name, version];
}
