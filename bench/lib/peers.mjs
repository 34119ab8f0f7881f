// The peers to measure, in the order of the tables. `runtime` is the program that runs a peer: Node can't
// load an adapter for Bun. `install` is a package that is too large to be installed by default. `isNamed`
// peers run only in scenarios that name them. `package` is the folder whose package.json has the version.

import { existsSync, statSync } from 'node:fs';
import { BENCH } from './places.mjs';

export const PEERS = [
  { name: 'agent-bash-run', runtime: 'node', package: '..' },
  { name: 'agent-bash-argv', runtime: 'node' },
  { name: 'agent-bash', runtime: 'node', isNamed: true },
  { name: 'agent-bash-sandbox', runtime: 'node', isNamed: true },
  { name: 'agent-bash-view', runtime: 'node', isNamed: true },
  { name: 'agent-bash-policy', runtime: 'node', isNamed: true },
  { name: 'agent-bash-tool', runtime: 'node', isNamed: true },
  { name: 'agent-bash-mcp', runtime: 'node', isNamed: true },
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

/** A file below this size (bytes) is npm's script in the place of the binary. */
const SMALLEST_BINARY = 1_000_000;

/** Returns the program and the flags of a peer's processes; `undefined` if the program is not installed. */
export function runtimeOf(peer) {
  if (peer.runtime === 'node') return [process.execPath, '--expose-gc'];
  // npm's `bun` is a script that looks for one of these; the binary itself starts faster and needs no install
  // script, which would move it.
  const names = [`bun-${process.platform}-${process.arch}`, `bun-${process.platform}-${process.arch}-musl`];
  const packages = names.map((name) => `@oven/${name.replace('arm64', 'aarch64')}/bin/bun`);
  const paths = [...packages, 'bun/bin/bun.exe'].map((name) => `${BENCH}node_modules/${name}`);
  const path = paths.find((name) => existsSync(name) && statSync(name).size > SMALLEST_BINARY);
  return path && [path];
}
