import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { INDEX } from '../support/node.js';
import { until } from '../support/processes.mjs';

/** The longest time that something takes in the emulated machine (ms). */
export const EMULATED = 300_000;

/** The longest time of a log-out (ms): the manager of a user goes on for 10 s. */
const LOG_OUT = 90_000;

/** The words behind which a program runs in a service of the user's own manager. */
export const IN_USER_MANAGER = 'systemd-run --user --pipe --wait --quiet';

/** The words behind which a program runs in a scope of the user's own manager. */
export const IN_USER_SCOPE = 'systemd-run --user --scope --quiet';

/** Runs a program of Node.js by these words, and returns the JSON that it prints. */
function printed(words: string[], program: string): Promise<unknown> {
  const child = spawn(words[0] as string, words.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], cwd: '/tmp' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.end(`
    import { readFileSync } from 'node:fs';
    import { Jobs, run } from ${JSON.stringify(INDEX)};
    const cgroup = (pid) => readFileSync('/proc/' + pid + '/cgroup', 'utf8').trim();
    const print = (value) => process.stdout.write(JSON.stringify(value));
    ${program}`);
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(JSON.parse(stdout));
      else reject(new Error(`exit ${code}: ${stdout}${stderr}`));
    });
  });
}

const NODE = 'node --input-type=module -';

/** Runs a program in a login session of an account, which ends with it. */
export function inLogin(account: 'user' | 'root', program: string, place = ''): Promise<unknown> {
  return printed(['ssh', `${account}@localhost`, `cd && ${place} ${NODE}`], program);
}

/** Runs a program in the service of the tests, as root, or behind these words. */
export function inService(program: string, place = ''): Promise<unknown> {
  return printed([...place.split(' '), ...NODE.split(' ')].filter(Boolean), program);
}

/** Waits until no login session and no manager of the user is left. */
export async function loggedOut(): Promise<void> {
  const names = ['session-*.scope', 'user@1000.service'];
  const left = () => show('list-units', '--state=active,deactivating', '--plain', '--no-legend', ...names);
  await until(() => left() === '', 'the sessions have ended', LOG_OUT).catch((error: Error) => {
    throw new Error(
      `${error.message}: ${left()} ${execFileSync('systemd-cgls', ['--no-pager', '/user.slice'])}`,
    );
  });
}

/** Returns what `systemctl` prints. */
export function show(...words: string[]): string {
  return execFileSync('systemctl', ['--no-pager', ...words], { encoding: 'utf8' }).trim();
}

const SETTINGS = '/etc/systemd/logind.conf.d';

/** Lets a log-out kill the processes of its user until the end of the test. */
export function killUserProcesses(): void {
  mkdirSync(SETTINGS, { recursive: true });
  writeFileSync(`${SETTINGS}/kill.conf`, '[Login]\nKillUserProcesses=yes\n');
  show('restart', 'systemd-logind.service');
  onTestFinished(() => {
    rmSync(`${SETTINGS}/kill.conf`);
    show('restart', 'systemd-logind.service');
  });
}

/** Lets the manager of the user run without a login until the end of the test. */
export async function linger(): Promise<void> {
  execFileSync('loginctl', ['enable-linger', 'user']);
  onTestFinished(() => {
    execFileSync('loginctl', ['disable-linger', 'user']);
    // The manager has no last session whose end would end it.
    show('stop', 'user@1000.service');
  });
  await until(() => existsSync('/run/user/1000/systemd/private'), 'the manager runs', EMULATED);
}
