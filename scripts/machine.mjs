// The table of programs and rights that the tests use besides Node.js, Rust and a C linker: for `npm run
// doctor`, the tags of vitest.config.mjs and CI.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Directories of programs for administrators, which PATH of ordinary users lacks on Debian. */
const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export const isRoot = process.getuid?.() === 0;

/** Returns the path of a program, or `undefined`. */
export function find(program) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_DIRECTORIES];
  return directories.map((directory) => join(directory, program)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const succeeds = (program, ...words) => spawnSync(program, words, { timeout: 10_000 }).status === 0;
/** Whether a process may make the namespaces of a sandbox, which many containers forbid. */
const canSandbox = () => {
  const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--net', '--fork', '--mount-proc'];
  return process.platform === 'linux' && succeeds('unshare', ...namespaces, 'true');
};
/** Whether root may mount without others seeing it, which a plain chroot and many containers forbid. */
const canMount = () => isRoot && process.platform === 'linux' && succeeds('unshare', '--mount', 'true');
/** Returns where cgroups of version 2 are mounted for root, or `undefined`. */
export function cgroupRoot() {
  if (!isRoot || process.platform !== 'linux') return undefined;
  const line = /^\S+ (\S+) cgroup2 rw\b/m.exec(readFileSync('/proc/mounts', 'utf8'));
  return line === null ? undefined : line[1];
}
/** Whether the cgroups of version 2 have the controllers of memory, processes and processors. */
const hasControllers = () => {
  const root = cgroupRoot();
  const controllers = root && readFileSync(`${root}/cgroup.controllers`, 'utf8').trim().split(' ');
  return Boolean(controllers && ['memory', 'pids', 'cpu'].every((name) => controllers.includes(name)));
};
const hasPythonVenv = () => succeeds('python3', '-c', 'import ensurepip');
const canRunPodman = () =>
  isRoot &&
  existsSync('/bin/busybox') &&
  succeeds('podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs', 'info');
const canRunDocker = () =>
  isRoot && existsSync('/bin/busybox') && succeeds('docker', 'info', '--format', '{{.ID}}');
const hasMuslTarget = () => {
  const target = `${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch]}-unknown-linux-musl`;
  const { stdout } = spawnSync('rustc', ['--print', 'target-libdir', '--target', target], {
    encoding: 'utf8',
  });
  return existsSync(stdout?.trim() || '/nowhere');
};

/** Returns whether this machine has what a row of the table names. */
export const has = (name) => TABLE.some((row) => row.name === name && row.isThere());

/**
 * Each row: the name (also the tag of the tests that need it), Debian's packages, whether it is there, and
 * what is left out without it. `inCi`: whether CI installs and requires it. `rootOnly`: whether an ordinary
 * user can't have it.
 */
const program = (name, packages, leavesOut, more = {}) => ({
  name,
  packages,
  leavesOut,
  inCi: true,
  isThere: () => find(name) !== undefined,
  ...more,
});

export const TABLE = [
  program('bash', ['bash'], 'most tests: agent-bash itself falls back to sh'),
  program('git', ['git'], 'overlays and policies of repositories, the demo of a diff'),
  program('ps', ['procps'], 'tests of process trees'),
  program('setsid', ['util-linux'], 'tests of daemons'),
  program('setpriv', ['util-linux'], 'commands of another user', {
    isThere: () => isRoot && find('setpriv') !== undefined,
    rootOnly: true,
  }),
  program('zsh', ['zsh'], 'sessions and commands in zsh'),
  program('mksh', ['mksh'], 'commands behind a Korn shell on a target'),
  program('strace', ['strace'], 'tests that count system calls'),
  program('gdb', ['gdb'], 'attempts to leave a sandbox by a debugger'),
  program('python3', ['python3'], 'attempts to leave a sandbox, programs that wait for input'),
  program('lsattr', ['e2fsprogs'], 'attempts to leave a sandbox'),
  program('make', ['make'], 'attempts to leave a sandbox, and usual work in one'),
  program('perl', ['perl'], 'programs that wait for input, usage of memory'),
  program('curl', ['curl'], 'network clients of a sandbox'),
  program('pip', ['python3-pip'], 'pip with a credential', { inCi: false }),
  program('cargo', ['cargo'], 'cargo with a credential', { inCi: false }),
  program('go', ['golang-go'], 'go with a credential', { inCi: false }),
  program('javac', ['default-jdk-headless'], 'clients of Java with a credential', { inCi: false }),
  program('mvn', ['maven'], 'Maven with a credential', { inCi: false }),
  program('bwrap', ['bubblewrap'], 'the comparison of the sandbox with bubblewrap'),
  program('readelf', ['binutils'], 'the check of the addon and the helper program'),
  program('chromium', ['chromium'], 'the page of a live view in a browser'),
  program('setfacl', ['acl'], 'access control lists in a commit of an overlay'),
  program('setfattr', ['attr'], 'attributes of files in a commit of an overlay'),
  program('vim', ['vim'], 'a full-screen program in the terminal of a person'),
  program('fish', ['fish'], 'the environment of a login shell of fish', { inCi: false }),
  program('gpg', ['gnupg'], 'the agent of GnuPG in a sandbox'),
  program('ssh-keygen', ['openssh-client'], 'the settings and public keys of ssh in a sandbox'),
  program('sshd', ['openssh-server'], 'targets over ssh to a server on loopback', {
    isThere: () => isRoot && find('sshd') !== undefined,
    rootOnly: true,
  }),
  program('sudo', ['sudo'], 'a password prompt of sudo', {
    isThere: () => isRoot && find('sudo') !== undefined,
    rootOnly: true,
  }),
  program('podman', ['podman', 'runc', 'busybox-static'], 'targets in containers of podman', {
    isThere: canRunPodman,
    inCi: false,
    rootOnly: true,
  }),
  program('docker', ['docker.io', 'busybox-static'], 'targets in containers of docker', {
    isThere: canRunDocker,
    inCi: false,
    rootOnly: true,
  }),
  {
    name: 'sandbox',
    packages: [],
    leavesOut: 'sandboxes and overlays: this machine refuses user namespaces (docs/sandbox.md)',
    inCi: true,
    isThere: canSandbox,
  },
  {
    name: 'root',
    packages: [],
    leavesOut: 'limits of processes, other users: run as root',
    inCi: false,
    rootOnly: true,
    isThere: () => isRoot,
  },
  {
    name: 'cgroup',
    packages: [],
    leavesOut: 'limits of all processes together: run as root, with cgroups of version 2',
    inCi: false,
    rootOnly: true,
    isThere: () => cgroupRoot() !== undefined,
  },
  {
    name: 'cgroup-limits',
    packages: [],
    leavesOut: 'limits of memory, processes and processors: `scripts/vm.sh` has cgroups of version 2 only',
    inCi: false,
    rootOnly: true,
    isThere: hasControllers,
  },
  {
    name: 'systemd-machine',
    packages: [],
    leavesOut: 'scopes of systemd and log-outs: they run in the machine of `scripts/vm.sh --systemd` alone',
    inCi: false,
    rootOnly: true,
    isThere: () => isRoot && existsSync('/etc/agent-bash-vm'),
  },
  {
    name: 'mounts',
    packages: [],
    leavesOut: 'full disks, /proc missing: run as root, not in a chroot',
    inCi: false,
    rootOnly: true,
    isThere: canMount,
  },
  program('python3-venv', ['python3-venv'], '`npm run lint` of workflows and licenses, the portable build', {
    isThere: hasPythonVenv,
  }),
  program('shellcheck', ['shellcheck'], '`npm run lint` of the shell in workflows'),
  {
    name: 'cargo-nextest',
    install: 'cargo install --locked cargo-nextest',
    packages: [],
    leavesOut: 'nothing: plain `cargo test` runs instead, slower',
    inCi: false,
    isThere: () => find('cargo-nextest') !== undefined,
  },
  {
    name: 'musl target',
    install: 'rustup target add x86_64-unknown-linux-musl',
    packages: [],
    leavesOut: 'nothing: the helper program is linked with glibc, and twice as large',
    inCi: false,
    isThere: hasMuslTarget,
  },
];
