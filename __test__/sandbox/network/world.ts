import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../support/directory.js';
import { INDEX } from '../../support/node.js';

const HOSTS = `127.0.0.1 localhost
93.184.216.34 registry.test
93.184.216.34 a.wild.test
93.184.216.35 b.wild.test
93.184.216.34 evil.test
10.9.8.7 inner.test
127.0.0.1 local.test
2600::5 six.test
fd00::5 inner-six.test
::ffff:10.9.8.7 mapped.test
64:ff9b::a09:807 translated.test
`;

const SETUP = `
  ip link set lo up
  for address in 93.184.216.34 93.184.216.35 10.9.8.7; do ip address add $address/32 dev lo; done
  for address in 2600::5 fd00::5 64:ff9b::a09:807; do ip address add $address/128 dev lo; done
  echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
  mount --bind "$WORLD/hosts" /etc/hosts
  mount --bind "$WORLD/resolv.conf" /etc/resolv.conf
  exec "$@"
`;

const MODULE = fileURLToPath(new URL('./world.mjs', import.meta.url));

const USER = [
  'setpriv',
  '--reuid=12345',
  '--regid=12345',
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

/** Makes the directory of a world: a project with a certificate, and files that anybody may change. */
export function worldDirectory(): string {
  const directory = temporaryDirectory();
  for (const name of ['project', 'www', 'home']) {
    mkdirSync(join(directory, name));
    chmodSync(join(directory, name), 0o777);
  }
  chmodSync(directory, 0o777);
  writeFileSync(join(directory, 'hosts'), HOSTS, { mode: 0o666 });
  chmodSync(join(directory, 'hosts'), 0o666);
  writeFileSync(join(directory, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  const names = 'subjectAltName=DNS:registry.test,DNS:a.wild.test,DNS:evil.test';
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = [
    '-keyout',
    join(directory, 'project', 'key.pem'),
    '-out',
    join(directory, 'project', 'cert.pem'),
  ];
  const subject = ['-days', '2', '-subj', '/CN=registry.test', '-addext', names];
  execFileSync('openssl', [...request, ...files, ...subject], { stdio: 'pipe' });
  chmodSync(join(directory, 'project', 'key.pem'), 0o644);
  return directory;
}

/**
 * Runs a program in a network of its own, with the exports of `world.mjs`, and returns what it passes to
 * `report()`.
 */
export async function inWorld<T>(
  program: string,
  { directory = worldDirectory(), asUser = false } = {},
): Promise<T> {
  const whole = `
    import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
    import {
      CLOSE_WAIT, DIRECTORY, halfOpenStates, inside, nameServer, PRIVATE, PUBLIC, requests, ROOT, setName, silent,
      WITHOUT_PROXY,
    } from ${JSON.stringify(MODULE)};
    const report = (value) => console.log(JSON.stringify(value));
    ${program}
    // A pipe takes a long report in parts.
    await new Promise((resolve) => process.stdout.write('', resolve));
    process.exit();
  `;
  const node = [process.execPath, '--input-type=module', '-e', whole];
  const command = ['-c', SETUP, 'setup', ...(asUser ? [...USER, ...node] : node)];
  const env = { ...process.env, WORLD: directory, INDEX, NODE_OPTIONS: '', HOME: join(directory, 'home') };
  const started = spawn('unshare', ['--net', '--mount', 'bash', ...command], { env, stdio: 'pipe' });
  onTestFinished(() => {
    started.kill('SIGKILL');
  });
  let [output, errors] = ['', ''];
  started.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  started.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const code = await new Promise((resolve) => started.on('close', resolve));
  if (code !== 0) throw new Error(`the world ended with ${code}: ${output}${errors}`);
  return JSON.parse(output);
}
