// Publishes the packages of pack-all.mjs: node scripts/publish.mjs [--dry-run] <dist> The main package comes
// last, so that a user who can install it finds the packages with the addon. Packages that are on npm already
// are skipped, so that an interrupted run can be repeated.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isBesideMain, manifestInTarball } from './tarballs.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
if (positionals.length !== 1)
  throw new Error('usage: node scripts/publish.mjs [--dry-run] <directory of *.tgz>');
const dist = resolve(positionals[0]);

function found() {
  const files = readdirSync(dist).filter((file) => file.endsWith('.tgz'));
  const packages = files.map((file) => ({ path: join(dist, file), ...manifestInTarball(join(dist, file)) }));
  const mains = packages.filter(({ name }) => !isBesideMain(name));
  if (mains.length !== 1) throw new Error(`expected one main package, found ${mains.length} in ${dist}`);
  const [main] = mains;
  const addons = packages.filter((candidate) => candidate !== main);
  const here = Object.fromEntries(addons.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries(main.optionalDependencies ?? {})) {
    if (here[name] !== version)
      throw new Error(`${main.name} wants ${name}@${version}, which is not in ${dist}`);
  }
  if (addons.length === 0) throw new Error(`no package with an addon in ${dist}`);
  return [...addons, main];
}

/** Throws if npm is older than 11.5.1, the first one with trusted publishing. */
function checkNpm() {
  const version = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim();
  const [major, minor, patch] = version.split('.').map(Number);
  const isEnough = major > 11 || (major === 11 && (minor > 5 || (minor === 5 && patch >= 1)));
  if (!isEnough) throw new Error(`npm ${version} is too old: trusted publishing needs 11.5.1`);
}

function isPublished({ name, version }) {
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version', '--json'], {
    encoding: 'utf8',
  });
  const answer = stdout.trim() === '' ? undefined : JSON.parse(stdout);
  if (status === 0) return [answer].flat().includes(version);
  if (answer?.error?.code === 'E404') return false;
  // An unknown answer must not lead to a publication.
  throw new Error(
    `npm can't say whether ${name}@${version} is published: ${answer?.error?.summary ?? 'no answer'}`,
  );
}

function publish({ path, version }) {
  // `npm install` must not choose a version such as 1.0.0-beta.1.
  const tag = version.includes('-') ? 'next' : 'latest';
  // Only a workflow on GitHub can prove the provenance of a package.
  const how = options['dry-run'] ? '--dry-run' : '--provenance';
  execFileSync('npm', ['publish', path, '--access', 'public', '--tag', tag, how], { stdio: 'inherit' });
}

const packages = found();
checkNpm();
for (const candidate of packages) {
  const label = `${candidate.name}@${candidate.version}`;
  if (isPublished(candidate)) {
    console.log(`${label} is on npm already`);
    continue;
  }
  publish(candidate);
  console.log(`${label} ${options['dry-run'] ? 'would be published' : 'is published'}`);
}
