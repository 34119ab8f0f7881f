// Registries of packages as clients know them: the files of pip, cargo, Maven and Go by their paths. Each has
// one package, `demo`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECTORY } from '../../sandbox/network/world.mjs';

/** The address of the server that has the registries. */
const SERVER = 'https://registry.test:8443';

const WHEEL = 'demo-1.0-py3-none-any.whl';

/** Returns a wheel with one module. */
function wheel() {
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as file:
    file.writestr('demo.py', '')
    file.writestr('demo-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n')
    file.writestr('demo-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    file.writestr('demo-1.0.dist-info/RECORD', '')
`;
  const path = join(DIRECTORY, WHEEL);
  execFileSync('python3', ['-c', script, path], { stdio: 'pipe' });
  return readFileSync(path);
}

let packed;

/** Returns a crate with an empty library. */
function crate() {
  if (packed !== undefined) return packed;
  const folder = join(DIRECTORY, 'crates', 'demo-1.0.0');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(
    join(folder, 'Cargo.toml'),
    '[package]\nname = "demo"\nversion = "1.0.0"\nedition = "2021"\n',
  );
  writeFileSync(join(folder, 'src', 'lib.rs'), '');
  packed = execFileSync('tar', ['-cz', '-C', join(folder, '..'), 'demo-1.0.0']);
  return packed;
}

/** Returns the line of the index about the crate. */
function indexLine() {
  const cksum = createHash('sha256').update(crate()).digest('hex');
  return JSON.stringify({ name: 'demo', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false });
}

const POM = `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>demo</artifactId><version>1.0</version><packaging>pom</packaging>
</project>
`;

/** The function that makes each file, by its path. */
const FILES = {
  '/pip/demo/': () => `<a href="/pip/${WHEEL}">${WHEEL}</a>`,
  [`/pip/${WHEEL}`]: wheel,
  '/cargo/config.json': () => JSON.stringify({ dl: `${SERVER}/cargo/crates` }),
  '/cargo/de/mo/demo': indexLine,
  '/cargo/crates/demo/1.0.0/download': crate,
  '/maven/test/demo/1.0/demo-1.0.pom': () => POM,
  '/maven/test/demo/1.0/demo-1.0.pom.sha1': () => createHash('sha1').update(POM).digest('hex'),
  '/go/registry.test/demo/@v/list': () => 'v1.0.0\n',
  '/go/registry.test/demo/@v/v1.0.0.info': () => '{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}',
  '/go/registry.test/demo/@v/v1.0.0.mod': () => 'module registry.test/demo\n',
};

/** Returns the content of a file of the registries; `undefined` if there is none. */
export const registryFile = (path) => FILES[path]?.();
