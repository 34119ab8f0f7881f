// Packs what is published: dist/*.tgz, a package for each platform whose addon is here, and the main one.
// `npm run pack:all -- --complete` fails unless the addons of all platforms are here, each with its helper program.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { repository } from './repository.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    complete: { type: 'boolean', default: false },
    out: { type: 'string', default: join(ROOT, 'dist') },
  },
});
const out = resolve(options.out);

const addonOf = (platform) => `agent-bash.${platform}.node`;
const helperOf = (platform) => `agent-bash-helper.${platform}`;
const isHere = (platform) => existsSync(join(ROOT, addonOf(platform)));

function packPlatform(platform) {
  const directory = mkdtempSync(join(tmpdir(), 'agent-bash-pack-'));
  try {
    cpSync(join(ROOT, 'npm', platform), directory, { recursive: true });
    for (const file of [addonOf(platform), helperOf(platform), 'LICENSE']) {
      copyFileSync(join(ROOT, file), join(directory, file));
    }
    // The artifacts of a workflow lose it, and npm keeps what it finds.
    chmodSync(join(directory, helperOf(platform)), 0o755);
    const manifest = join(directory, 'package.json');
    const complete = { ...JSON.parse(readFileSync(manifest, 'utf8')), ...repository() };
    writeFileSync(manifest, `${JSON.stringify(complete, null, 2)}\n`);
    pack(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function pack(directory) {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: directory, stdio: 'inherit' });
}

const platforms = readdirSync(join(ROOT, 'npm'));
const lacks = (files) => files.filter((file) => !existsSync(join(ROOT, file)));
const missing = lacks(platforms.flatMap((platform) => [addonOf(platform), helperOf(platform)]));
const halves = lacks(platforms.filter(isHere).map(helperOf));
if (halves.length > 0) throw new Error(`an addon without its helper program: ${halves.join(', ')}`);
if (options.complete && missing.length > 0)
  throw new Error(`missing at the top of the repository: ${missing.join(', ')}`);
mkdirSync(out, { recursive: true });
for (const name of readdirSync(out).filter((file) => file.endsWith('.tgz'))) rmSync(join(out, name));
for (const platform of platforms.filter(isHere)) packPlatform(platform);
pack(ROOT);
