// Measures 256 MiB each way through the interceptor of credentials, beside the tunnel to an allowed host, and
// one request by curl.
//
//   npm run build && node bench/credentials.mjs [--gib 10]
//
// A server with TLS runs on an address of this machine, with a certificate that `openssl` signs; the client
// is curl, in a sandbox. With `--gib`, that many GiB pass each way through the interceptor,
// once. The peak memory of the interceptor is printed too.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from '../entry/index.mjs';
import { median } from './lib/stats.mjs';
import { timed } from './lib/time.mjs';

const SELF = fileURLToPath(import.meta.url);
const MIB = 2 ** 20;
const CHUNK = Buffer.alloc(65_536);
const VALUE = 'a-token-of-the-benchmark';
const { values } = parseArgs({
  options: {
    serve: { type: 'string' },
    directory: { type: 'string' },
    gib: { type: 'string' },
    runs: { type: 'string', default: '7' },
  },
});

/** Sends as many MiB as the path says, or takes what is sent, and answers with the number of bytes. */
async function answer(request, response) {
  let got = 0;
  for await (const piece of request) got += piece.length;
  const bytes = Number(request.url.slice(1)) * MIB;
  response.writeHead(200, { 'content-length': bytes === 0 ? String(got).length : bytes });
  if (bytes === 0) return response.end(String(got));
  for (let sent = 0; sent < bytes; sent += CHUNK.length) {
    if (!response.write(CHUNK)) await once(response, 'drain');
  }
  response.end();
}

async function serve(address, directory) {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(directory, name)));
  const server = createSecureServer({ key, cert, allowHTTP1: true }, answer);
  server.listen(0, address);
  await once(server, 'listening');
  console.log(server.address().port);
}

/** Returns the peak memory of the interceptor (MiB). */
function peakOfInterceptor() {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (!status.startsWith('Name:\tagent-bash-inte')) continue;
      return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
    } catch {
      // The process has ended.
    }
  }
  throw new Error('There is no interceptor');
}

/** Makes an authority, and a certificate of an address that it has signed. */
function makeCertificate(directory, address) {
  const openssl = (...words) => execFileSync('openssl', words, { cwd: directory, stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const named = ['-subj', '/CN=bench'];
  openssl('req', '-x509', ...curve, ...named, '-keyout', 'authority.key', '-out', 'authority.pem');
  openssl('req', ...curve, ...named, '-keyout', 'key.pem', '-out', 'request.pem');
  writeFileSync(join(directory, 'names'), `subjectAltName=IP:${address}\n`);
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', 'request.pem', ...signed, '-extfile', 'names', '-out', 'cert.pem');
}

async function measure(address) {
  const root = mkdtempSync(join(tmpdir(), 'agent-bash-bench-'));
  const authority = join(root, 'authority.pem');
  makeCertificate(root, address);
  // The interceptor verifies the server by these certificates too.
  process.env.NODE_EXTRA_CA_CERTS = authority;
  const server = spawn(process.execPath, [SELF, '--serve', address, '--directory', root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(server.stdout, 'data');
  const host = `${address}:${Number(port)}`;
  const mib = values.gib === undefined ? 256 : Number(values.gib) * 1024;
  const runs = values.gib === undefined ? Number(values.runs) : 1;
  const rules = { host, credential: 'own' };
  const others = {
    tunnel: { allow: [host], trust: `--cacert '${authority}'` },
    unchecked: { allow: [{ ...rules, responses: 'unchecked' }] },
  };
  const settings = { interceptor: { allow: [rules] }, ...(values.gib === undefined ? others : {}) };
  const curl = async ({ allow, trust = '' }, words, input = '') => {
    const credentials = allow[0] === host ? undefined : { own: { value: VALUE } };
    const sandbox = { level: 'read-only', network: { allow } };
    const options = { root, sandbox, credentials, timeout: 3_600_000 };
    const { exitCode, stdout, stderr } = await run(`${input} curl -sSf ${trust} ${words}`, options);
    if (exitCode !== 0) throw new Error(stderr);
    return stdout;
  };
  const url = `https://${host}`;
  const cases = {
    'one request': (setting, version) => curl(setting, `${version} ${url}/0`),
    'from the server': (setting, version) => curl(setting, `${version} -o /dev/null ${url}/${mib}`),
    'to the server': (setting, version) =>
      curl(setting, `${version} -T - -o /dev/null ${url}/0`, `head -c ${mib * MIB} /dev/zero |`),
  };
  console.log(
    `| | ${Object.keys(settings).join(' | ')} |\n|---|${'---|'.repeat(Object.keys(settings).length)}`,
  );
  try {
    for (const version of ['--http1.1', '--http2']) {
      for (const [name, ask] of Object.entries(cases)) {
        const times = Object.fromEntries(Object.keys(settings).map((key) => [key, []]));
        // The first one starts the interceptor.
        for (let count = values.gib === undefined ? -1 : 0; count < runs; count++) {
          for (const [key, setting] of Object.entries(settings)) {
            const time = await timed(() => ask(setting, version));
            if (count >= 0) times[key].push(time);
          }
        }
        const row = Object.values(times).map((each) => median(each).toFixed(1));
        console.log(`| ${version.slice(2)}: ${name}, ms | ${row.join(' | ')} |`);
      }
    }
    console.log(`peak memory of the interceptor: ${peakOfInterceptor().toFixed(1)} MiB`);
  } finally {
    server.kill();
    rmSync(root, { recursive: true, force: true });
  }
}

if (values.serve !== undefined) {
  await serve(values.serve, values.directory);
} else {
  const own = Object.values(networkInterfaces()).flat();
  const address = own.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (address === undefined) throw new Error('This machine has no address besides loopback');
  await measure(address);
}
