// Packs the packages to publish into dist/*.tgz: one for each platform whose addon is in the root, that of
// the interceptor if any is there, and the main one. `npm run pack:all -- --complete` fails unless the addons
// of all platforms are there, each with its helper program, and the interceptors of all
// processors. The script refuses an addon that does not run on all promised systems, such as that of
// `npm run build`; `--local` packs such an addon for this machine.
import { execFileSync, spawnSync } from 'node:child_process';
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
    local: { type: 'boolean', default: false },
    out: { type: 'string', default: join(ROOT, 'dist') },
  },
});
const out = resolve(options.out);

const addonOf = (platform) => `agent-bash.${platform}.node`;
/** The built files of a package: an addon and its helper program. */
const filesOf = (platform) => manifestOf(join('npm', platform)).files;
const isHere = (platform) => existsSync(join(ROOT, addonOf(platform)));

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Packs a folder of the repository with built files, of which all but addons are programs. */
function packWith(folder, files) {
  const directory = mkdtempSync(join(tmpdir(), 'agent-bash-pack-'));
  try {
    cpSync(join(ROOT, folder), directory, { recursive: true });
    for (const file of [...files, 'LICENSE']) copyFileSync(join(ROOT, file), join(directory, file));
    // The artifacts of a workflow lose the executable bit, and npm packs the mode that it finds.
    for (const file of files.filter((name) => !name.endsWith('.node')))
      chmodSync(join(directory, file), 0o755);
    const complete = { ...manifestOf(folder), ...repository() };
    writeFileSync(join(directory, 'package.json'), `${JSON.stringify(complete, null, 2)}\n`);
    pack(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The oldest glibc that the package supports. */
const GLIBC = '2.17';

/** Throws unless the addon runs with every supported glibc, as that of `npm run build:portable` does. */
function checkPortable(platform) {
  const script = join(ROOT, 'scripts/check-binary.mjs');
  const arguments_ = [script, '--glibc', GLIBC, join(ROOT, addonOf(platform))];
  const { status, stdout, stderr } = spawnSync(process.execPath, arguments_, { encoding: 'utf8' });
  if (status === 0) return;
  const wrong = [...stdout.matchAll(/^ {2}WRONG +(.*)$/gm)].map(([, text]) => text);
  console.error(
    `${addonOf(platform)} is not packed: it ${wrong.join('; it ') || `can't be checked: ${stderr}`}.\n` +
      'Build it with `npm run build:portable`, or pack it for this machine only: `npm run pack:all -- --local`.',
  );
  process.exit(1);
}

function pack(directory) {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: directory,
    stdio: 'inherit',
    env: { ...process.env, AGENT_BASH_PACK: '1' },
  });
}

const platforms = readdirSync(join(ROOT, 'npm'));
const lacks = (files) => files.filter((file) => !existsSync(join(ROOT, file)));
const interceptors = manifestOf('interceptor').files;
const missing = lacks([...platforms.flatMap(filesOf), ...interceptors]);
const halves = lacks(platforms.filter(isHere).flatMap(filesOf));
if (halves.length > 0) throw new Error(`an addon without its helper program: ${halves.join(', ')}`);
if (options.complete && missing.length > 0)
  throw new Error(`missing at the top of the repository: ${missing.join(', ')}`);
if (!options.local) platforms.filter((name) => name.endsWith('-gnu') && isHere(name)).forEach(checkPortable);
mkdirSync(out, { recursive: true });
for (const name of readdirSync(out).filter((file) => file.endsWith('.tgz'))) rmSync(join(out, name));
for (const name of platforms.filter(isHere)) packWith(join('npm', name), filesOf(name));
const built = interceptors.filter((file) => existsSync(join(ROOT, file)));
if (built.length > 0) packWith('interceptor', built);
pack(ROOT);
