// The peers to measure, in the order of the tables. `runtime` is the program that runs a peer: Node can't load an adapter for
// Bun. `install` is a package that is too large to be installed by default. `isNamed` peers run only in scenarios that name
// them. `package` is the folder whose package.json has the version.

import { existsSync } from 'node:fs';
import { BENCH } from './places.mjs';

export const PEERS = [
  { name: 'agent-bash', runtime: 'node', package: '..' },
  { name: 'agent-bash-run', runtime: 'node' },
  { name: 'agent-bash-argv', runtime: 'node' },
  { name: 'agent-bash-view', runtime: 'node', isNamed: true },
  { name: 'agent-bash-policy', runtime: 'node', isNamed: true },
  { name: 'agent-bash-tool', runtime: 'node', isNamed: true },
  { name: 'agent-bash-mcp', runtime: 'node', isNamed: true },
  { name: 'agent-bash-warm', runtime: 'node', isNamed: true },
  { name: 'agent-bash-session', runtime: 'node', isNamed: true },
  { name: 'agent-bash-pty', runtime: 'node', isNamed: true },
  { name: 'child-process', runtime: 'node' },
  { name: 'execa', runtime: 'node', package: 'node_modules/execa' },
  { name: 'tinyexec', runtime: 'node', package: 'node_modules/tinyexec' },
  { name: 'nano-spawn', runtime: 'node', package: 'node_modules/nano-spawn' },
  { name: 'zx', runtime: 'node', package: 'node_modules/zx' },
  { name: 'node-pty', runtime: 'node', package: 'node_modules/@lydell/node-pty', isNamed: true },
  { name: 'bun-spawn', runtime: 'bun', package: 'node_modules/bun' },
  {
    name: 'pi-natives',
    runtime: 'bun',
    package: 'node_modules/@oh-my-pi/pi-natives',
    install: '@oh-my-pi/pi-natives@18.2.3',
  },
];

/** The peer that ratios refer to. */
export const BASE = 'child-process';

/** Not a peer, but a row of the tables. */
export const LIMIT_NAME = 'limit';

/** Returns the program and the flags of a peer's processes; `undefined` if the program is not installed. */
export function runtimeOf(peer) {
  if (peer.runtime === 'node') return [process.execPath, '--expose-gc'];
  // npm's `bun` is a script that looks for one of these; the binary itself starts faster and needs no install script.
  const names = [`bun-${process.platform}-${process.arch}`, `bun-${process.platform}-${process.arch}-musl`];
  const paths = names.map((name) => `${BENCH}node_modules/@oven/${name.replace('arm64', 'aarch64')}/bin/bun`);
  const path = paths.find(existsSync);
  return path && [path];
}
