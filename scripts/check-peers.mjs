// Fails unless npm installs our package beside the oldest and the newest version of each SDK that it names as
// a peer. Resolves only, and installs nothing: npm reads the manifests of the SDKs from its registry.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The oldest major version that people use, also those beside which an adapter only says what it needs. */
const OLDEST = {
  '@anthropic-ai/sdk': '0.60',
  '@langchain/core': '0.3',
  '@openai/agents': '0.1',
  ai: '5',
  openai: '5',
};
/** The longest time of one npm (ms): it takes 3 s, and a minute on a busy machine. */
const NPM_DEADLINE = 300_000;

const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'));
const { name, version, peerDependencies, peerDependenciesMeta } = manifest;
const place = mkdtempSync(join(tmpdir(), 'agent-bash-peers-'));

function npm(cwd, ...words) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return promisify(execFile)('npm', [...words, ...quiet], { cwd, timeout: NPM_DEADLINE });
}

function write(directory, content) {
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), JSON.stringify(content));
}

/** Returns what npm says against the package beside this SDK, or `null`. */
async function complaint(sdk, range) {
  const project = join(place, `${sdk}@${range}`.replaceAll(/\W/g, '-'));
  const dependencies = { [name]: `file:../package/${name}-${version}.tgz`, [sdk]: range };
  write(project, { private: true, dependencies });
  try {
    await npm(project, 'install', '--package-lock-only');
    return null;
  } catch (error) {
    const late = error.killed && `npm did not end within ${NPM_DEADLINE / 1_000} s`;
    return `${sdk}@${range}: ${late || error.stderr || error.message}`;
  }
}

try {
  // The manifest alone decides, and not the files of the package.
  write(join(place, 'package'), { name, version, peerDependencies, peerDependenciesMeta });
  await npm(join(place, 'package'), 'pack');
  const sdks = Object.keys(peerDependencies);
  const missing = sdks.filter((sdk) => OLDEST[sdk] === undefined);
  if (missing.length > 0) throw new Error(`no oldest version is known of ${missing.join(', ')}`);
  const pairs = sdks.flatMap((sdk) => [OLDEST[sdk], 'latest'].map((range) => [sdk, range]));
  const count = pairs.length;
  const complaints = [];
  const work = async () => {
    for (let pair = pairs.shift(); pair !== undefined; pair = pairs.shift())
      complaints.push(await complaint(...pair));
  };
  // An npm for each processor: more of them only take longer, up to their deadline.
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const found = complaints.filter((text) => text !== null);
  for (const text of found) console.error(text);
  if (found.length > 0) process.exitCode = 1;
  else console.log(`npm installs the package beside ${count} versions of ${sdks.length} SDKs`);
} finally {
  rmSync(place, { recursive: true });
}
