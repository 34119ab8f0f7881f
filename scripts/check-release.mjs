// Checks before a build that all versions agree: node scripts/check-release.mjs [--notes <file>] [<tag>] With
// a tag: all packages have its version, and the changelog has a dated section for it. Without a tag (a dry
// run): all packages have the same version. --notes writes the section of the changelog to a file.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    notes: { type: 'string' },
    root: { type: 'string', default: resolve(import.meta.dirname, '..') },
  },
});
const [tag] = positionals;

const text = (path) => readFileSync(join(options.root, path), 'utf8');
const main = JSON.parse(text('package.json'));
const wrong = [];

function expect(what, found, expected) {
  if (found !== expected) wrong.push(`${what} is ${found}, not ${expected}`);
}

/** Converts a Rust target to a platform: `x86_64-unknown-linux-musl` to `linux-x64-musl`. */
function platformOf(target) {
  const [cpu, , system, libc] = target.split('-');
  return [system === 'windows' ? 'win32' : system, { x86_64: 'x64', aarch64: 'arm64' }[cpu], libc]
    .filter(Boolean)
    .join('-');
}

/** Returns the section of the changelog below the matching heading. */
function section(heading) {
  const parts = text('CHANGELOG.md').split(/^## /m).slice(1);
  const part = parts.find((candidate) => heading.test(candidate));
  return part?.replace(/^.*\n/, '').trim();
}

const { version } = main;
if (tag !== undefined) expect('the version in package.json', `v${version}`, tag);

const platforms = main.napi.targets.map(platformOf).sort();
expect(
  'the list of directories in npm/',
  readdirSync(join(options.root, 'npm')).sort().join(),
  platforms.join(),
);
for (const platform of platforms) {
  const path = `npm/${platform}/package.json`;
  try {
    const manifest = JSON.parse(text(path));
    expect(`the version in ${path}`, manifest.version, version);
    expect(`the name in ${path}`, manifest.name, `agent-bash-${platform}`);
  } catch (error) {
    wrong.push(`${path}: ${error.message}`);
  }
}
const interceptor = JSON.parse(text('interceptor/package.json')).version;
expect('the version in interceptor/package.json', interceptor, version);
const lock = JSON.parse(text('package-lock.json'));
expect('the version in package-lock.json', lock.version, version);
expect('the second version in package-lock.json', lock.packages[''].version, version);
expect('the version in Cargo.toml', /^version = "(.*)"$/m.exec(text('Cargo.toml'))?.[1], version);

const literally = version.replace(/[.+]/g, '\\$&');
const released = section(new RegExp(`^\\[${literally}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm'));
const notes = tag === undefined ? (released ?? section(/^\[Unreleased\]/)) : released;
if (!notes) wrong.push(`CHANGELOG.md has no text below "## [${version}] - <year>-<month>-<day>"`);

if (wrong.length > 0) {
  console.error(`not ready to release${tag ? ` ${tag}` : ''}:\n- ${wrong.join('\n- ')}`);
  process.exitCode = 1;
} else {
  if (options.notes) writeFileSync(options.notes, `${notes}\n`);
  console.log(`${platforms.length + 2} packages have the version ${version}`);
}
