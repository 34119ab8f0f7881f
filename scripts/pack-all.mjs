// Packs what is published: dist/*.tgz, a package for each platform whose addon is here, and the main one.
// `npm run pack:all -- --complete` fails unless the addons of all platforms are here.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    complete: { type: 'boolean', default: false },
    out: { type: 'string', default: join(ROOT, 'dist') },
  },
});

function pack(directory) {
  // Nothing is built here: the only script that runs completes the main package's manifest.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', options.out], {
    cwd: directory,
    stdio: 'inherit',
  });
}

rmSync(options.out, { recursive: true, force: true });
mkdirSync(options.out, { recursive: true });
const missing = [];
for (const platform of readdirSync(join(ROOT, 'npm'))) {
  const directory = join(ROOT, 'npm', platform);
  const addon = `agent-bash.${platform}.node`;
  if (!existsSync(join(ROOT, addon))) {
    missing.push(addon);
    continue;
  }
  for (const file of [addon, 'LICENSE']) copyFileSync(join(ROOT, file), join(directory, file));
  pack(directory);
}
if (options.complete && missing.length > 0)
  throw new Error(`missing at the top of the repository: ${missing.join(', ')}`);
pack(ROOT);
