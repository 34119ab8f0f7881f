// Adds to package.json what only the published one has: the packages with the addon, the one with the
// interceptor, and the repository. npm calls this script before (`complete`) and after (`restore`) packing.
// In the repository, `npm ci` would look for those packages on npm.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { repository } from './repository.mjs';

const PACKAGES = new URL('../npm/', import.meta.url);
const MANIFEST = new URL('../package.json', import.meta.url);
const INTERCEPTOR = new URL('../interceptor/package.json', import.meta.url);

const read = (url) => JSON.parse(readFileSync(url, 'utf8'));

function complete(manifest) {
  const platforms = readdirSync(PACKAGES).map((name) => read(new URL(`${name}/package.json`, PACKAGES)));
  manifest.optionalDependencies = Object.fromEntries(
    platforms.map(({ name, version }) => [name, version]).sort(),
  );
  // Without being named here, it would not be found where packages see only what they name (pnpm).
  const { name, version } = read(INTERCEPTOR);
  manifest.peerDependencies[name] = version;
  manifest.peerDependenciesMeta[name] = { optional: true };
  Object.assign(manifest, repository());
}

function restore(manifest) {
  for (const name of ['optionalDependencies', 'homepage', 'bugs', 'repository']) delete manifest[name];
  for (const peers of [manifest.peerDependencies, manifest.peerDependenciesMeta])
    delete peers[read(INTERCEPTOR).name];
}

const { npm_command: command, npm_lifecycle_event: event, npm_config_dry_run: dryRun } = process.env;
// `npm publish` reads the file again after packing. If it fails, `npm run postpack` restores the file.
if (event !== 'postpack' || command !== 'publish' || dryRun === 'true') {
  const manifest = read(MANIFEST);
  (process.argv[2] === 'restore' ? restore : complete)(manifest);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}
