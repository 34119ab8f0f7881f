// The clients of package registries use a credential that they don't have: nobody tells them of a proxy or of
// certificates but the sandbox.

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Guarded, guarded, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443';

/** Expects that a client succeeded with each of these files, which it got with the credential. */
function expectUse({ stdout, stderr, exitCode, seen, used }: Guarded, paths: string[]) {
  expect(exitCode, stdout + stderr).toBe(0);
  expect(
    seen.map(({ path }) => path),
    stdout + stderr,
  ).toEqual(expect.arrayContaining(paths));
  expect(seen.every(({ headers }) => headers.authorization === `Bearer ${VALUE}`)).toBe(true);
  expect(used).toEqual([{ credential: 'own', host: 'registry.test', port: 8443, requests: seen.length }]);
  expect(stdout + stderr).not.toContain(VALUE);
}

describe('a credential gets into the requests of', { tags: ['root', 'sandbox'] }, () => {
  it('pip', { tags: ['pip'] }, async () => {
    const flags = '--no-deps --no-cache-dir --disable-pip-version-check';
    const result = await guarded(`python3 -m pip download ${flags} -d got -i ${URL_OF}/pip demo`);
    expectUse(result, ['/pip/demo/', '/pip/demo-1.0-py3-none-any.whl']);
  });

  it('cargo', { tags: ['cargo'] }, async () => {
    // The path of the toolchain itself: the programs of rustup need the home of the user.
    const toolchain = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim();
    const result = await guarded(`mkdir -p src .cargo && : > src/lib.rs &&
      printf '[registries]\\nown = { index = "sparse+${URL_OF}/cargo/" }\\n' > .cargo/config.toml &&
      printf '[package]\\nname = "a"\\n[dependencies]\\ndemo = { version = "1", registry = "own" }\\n' > Cargo.toml &&
      PATH=${toolchain}/bin:$PATH CARGO_HOME=$PWD/home cargo fetch`);
    expectUse(result, ['/cargo/config.json', '/cargo/de/mo/demo', '/cargo/crates/demo/1.0.0/download']);
  });

  it('go', { tags: ['go'] }, async () => {
    const result = await guarded(
      `GOPROXY=${URL_OF}/go GONOSUMDB='*' GOFLAGS=-mod=mod go list -m -versions registry.test/demo`,
    );
    expect(result.stdout).toBe('registry.test/demo v1.0.0\n');
    expectUse(result, ['/go/registry.test/demo/@v/list']);
  });

  it('Maven', { tags: ['mvn'] }, async () => {
    const pom = `<project><modelVersion>4.0.0</modelVersion>
      <parent><groupId>test</groupId><artifactId>demo</artifactId><version>1.0</version><relativePath/></parent>
      <artifactId>a</artifactId><packaging>pom</packaging>
      <repositories><repository><id>own</id><url>${URL_OF}/maven</url></repository></repositories></project>`;
    const result = await guarded(`echo '${pom}' > pom.xml && mvn -q -Dmaven.repo.local=$PWD/local validate`);
    expectUse(result, ['/maven/test/demo/1.0/demo-1.0.pom']);
  });
});
