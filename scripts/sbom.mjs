// Writes the software bill of materials of a release (CycloneDX 1.6): the crates in the addons and programs,
// and the npm packages in the bundle of the MCP server. Needs cargo and the bundle.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('..', import.meta.url);
const text = (path) => readFileSync(new URL(path, ROOT), 'utf8');

/** Returns the crates that any platform links: no build scripts' and no tests' dependencies. */
function crates() {
  const which = ['--features=intercept', '--target=all', '--edges=normal'];
  const words = ['tree', '--locked', ...which, '--prefix=none', '--format={p}|{l}|'];
  const tree = execFileSync('cargo', words, {
    cwd: fileURLToPath(ROOT),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const checksums = new Map(
    [...text('Cargo.lock').matchAll(/name = "(.+)"\nversion = "(.+)"\nsource = .*\nchecksum = "(.+)"/g)].map(
      ([, name, version, checksum]) => [`${name} ${version}`, checksum],
    ),
  );
  const own = /^agent-bash /;
  const lines = tree.split('\n').filter((line) => line !== '' && !own.test(line));
  const found = lines.map((line) => {
    const [, name, version, license] = /^(\S+) v(\S+)[^|]*\|([^|]*)\|/.exec(line);
    return { kind: 'cargo', name, version, license, checksum: checksums.get(`${name} ${version}`) };
  });
  return [...new Map(found.map((crate) => [`${crate.name} ${crate.version}`, crate])).values()];
}

/** Returns the npm packages that the bundle contains, by the list of their licenses. */
function bundled() {
  const heads = text('bundle/mcp-licenses.txt').matchAll(/^(@?[\w./-]+) (\d\S*) \((.+)\)$/gm);
  return [...heads].map(([, name, version, license]) => ({ kind: 'npm', name, version, license }));
}

function component({ kind, name, version, license, checksum }) {
  const purl = `pkg:${kind}/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: license === '' ? [] : [{ expression: license.replaceAll('/', ' OR ') }],
    ...(checksum && { hashes: [{ alg: 'SHA-256', content: checksum }] }),
  };
}

const { name, version, license } = JSON.parse(text('package.json'));
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: component({ kind: 'npm', name, version, license }) },
  components: [...crates(), ...bundled()].map(component),
};
writeFileSync(process.argv[2] ?? 'agent-bash.cdx.json', `${JSON.stringify(bom, null, 2)}\n`);
