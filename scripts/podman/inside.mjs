// Runs in a container: asks for each sandbox, and tries to break each part that the result calls applied.
// Prints JSON. scripts/check-podman.mjs starts it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { run } from 'agent-bash';

const LEVELS = ['read-only', 'workspace-write', 'isolated'];

/** A command for each part: it ends with 0 if it could do what the part refuses. */
const ATTEMPTS = {
  write: 'echo x > /outside/new',
  metadata: 'chmod 700 /outside/file',
  protected: 'echo x > .git/hooks/pre-commit',
  hidden: 'grep -q secret /etc/shadow',
  processes: 'grep -q node /proc/[0-9]*/comm',
  network: 'nc -w 5 127.0.0.1 $PORT < /dev/null | grep -q hello',
  tmp: 'grep -q host /tmp/host',
};

/** Makes everything new that attempts are made against. */
function prepare() {
  for (const directory of ['/work', '/outside']) rmSync(directory, { recursive: true, force: true });
  for (const directory of ['/work/.git/hooks', '/outside', '/root'])
    mkdirSync(directory, { recursive: true });
  writeFileSync('/work/.git/HEAD', 'ref: refs/heads/main\n');
  for (const file of ['/outside/file', '/tmp/host', '/etc/shadow', '/root/.netrc']) {
    writeFileSync(file, 'host secret\n');
  }
}

async function attempt(level, onUnavailable, port) {
  prepare();
  const sandbox = { level, onUnavailable };
  const script = Object.entries(ATTEMPTS).map(([part, text]) => `( ${text} ) 2> /dev/null && echo ${part}`);
  const own = level === 'read-only' ? '' : 'echo x > own || echo lame\necho y > ~/new && echo home\n';
  const options = { root: '/work', env: { PORT: String(port) }, shell: '/bin/sh', timeout: 60_000, sandbox };
  const { status, error, stdout, sandbox: report } = await run(`${own}${script.join('\n')}\ntrue`, options);
  const done = stdout.split('\n').filter(Boolean);
  if (existsSync('/root/new')) {
    done.push('the home of the host');
    rmSync('/root/new');
  }
  const applied = report?.applied ?? [];
  return {
    level,
    onUnavailable,
    status,
    error: error && `${error.code}: ${error.message}`,
    mechanism: report?.mechanism,
    missing: report?.missing,
    /** Parts that the result calls applied, though the command could do what they forbid. */
    lies: done.filter((part) => applied.includes(part) && part !== 'home'),
    isLame: done.includes('lame') || (applied.includes('home') && done.includes('the home of the host')),
  };
}

const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address();
const free = {};
prepare();
for (const [part, text] of Object.entries(ATTEMPTS)) {
  const options = { cwd: '/work', env: { PORT: String(port) }, shell: '/bin/sh', timeout: 60_000 };
  free[part] = (await run(text, options)).exitCode === 0;
}
const sandboxes = [];
for (const level of LEVELS) {
  for (const onUnavailable of ['fail', 'weaker']) {
    sandboxes.push(await attempt(level, onUnavailable, port));
  }
}
const isUnmasked = !readFileSync('/proc/self/mountinfo', 'utf8').includes(' /proc/sys ');
console.log(JSON.stringify({ free, sandboxes, isUnmasked }));
server.close();
