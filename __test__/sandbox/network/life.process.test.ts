import { describe, expect, it } from 'vitest';
import { PROCESSES } from '../../support/node.js';
import { inWorld } from './world.js';

const PRELUDE = `
  const { Jobs, run } = await import(process.env.INDEX);
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const { until } = await import(${JSON.stringify(PROCESSES)});
  await inside('curl -s http://registry.test/', ['registry.test:80']);
  const before = descriptors();
`;

describe('the network of a command with allowed hosts', {
  tags: ['root', 'sandbox', 'curl', 'python3'],
}, () => {
  it('serves others while peers are slow, silent, gone or many, and leaves nothing', async () => {
    const script = `
import os, resource, signal, socket, subprocess, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 2000))
proxy = ('198.18.0.1', 80)
kept = []
def client(text, how=None):
    s = socket.create_connection(proxy)
    s.sendall(text)
    kept.append(s)
    return s
for _ in range(100): client(b'')
for _ in range(100): client(b'GET http://regis')
for _ in range(50): client(b'CONNECT registry.test:9000 HTTP/1.1\\r\\n\\r\\n')
for _ in range(50): client(b'CONNECT registry.test:9000 HTTP/1.1\\r\\n\\r\\n').shutdown(socket.SHUT_WR)
for _ in range(50): client(b'CONNECT registry.test:9000 HTTP/1.1\\r\\n\\r\\n').close()
sys.stdout.write(subprocess.run(['curl', '-s', 'http://registry.test/'], capture_output=True, text=True).stdout)
for _ in range(1000):
    try: client(b'')
    except OSError: break
for s in kept: s.close()
sys.stdout.write(subprocess.run(['curl', '-s', 'http://registry.test/'], capture_output=True, text=True).stdout)
`;
    const result = await inWorld<{ stdout: string; left: number }>(`
      ${PRELUDE}
      writeFileSync(ROOT + '/slow.py', ${JSON.stringify(script)});
      const { stdout } = await inside('python3 slow.py', ['registry.test:80', 'registry.test:9000']);
      await until(() => silent.size === 0 && descriptors() <= before);
      report({ stdout, left: silent.size });
    `);
    const reached = '93.184.216.34 registry.test / 0\n';
    expect(result).toEqual({ stdout: reached + reached, left: 0 });
  });

  it('ends half-open connections whose client is gone, while the command runs', async () => {
    const script = `
import os, socket, struct, time
opened = []
for _ in range(20):
    s = socket.create_connection(('198.18.0.1', 80))
    s.sendall(b'CONNECT registry.test:9001 HTTP/1.1\\r\\n\\r\\n')
    s.recv(100)
    s.shutdown(socket.SHUT_WR)
    opened.append(s)
open('opened', 'w')
while not os.path.exists('go'): time.sleep(0.05)
for s in opened:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()
time.sleep(600)
`;
    const result = await inWorld<{ opened: number; left: number }>(`
      ${PRELUDE}
      writeFileSync(ROOT + '/half.py', ${JSON.stringify(script)});
      const { existsSync } = await import('node:fs');
      const jobs = new Jobs();
      const sandbox = { level: 'workspace-write', network: { allow: ['registry.test:9001'] } };
      jobs.start('python3 half.py', { root: ROOT, sandbox });
      const ended = () => halfOpenStates().filter((state) => state === CLOSE_WAIT).length;
      await until(() => existsSync(ROOT + '/opened') && ended() === 20);
      const opened = ended();
      writeFileSync(ROOT + '/go', '');
      await until(() => halfOpenStates().length === 0);
      const left = halfOpenStates().length;
      await jobs.dispose();
      report({ opened, left });
    `);
    expect(result).toEqual({ opened: 20, left: 0 });
  });

  it('shows that an answer was cut off, also one without a length', async () => {
    const { stdout } = await inWorld<{ stdout: string }>(`
      const line = "curl -s -0 -w ' %{exitcode}' http://registry.test/reset; ";
      const { stdout } = await inside(line + WITHOUT_PROXY + line, ['registry.test:80']);
      report({ stdout });
    `);
    expect(stdout).toMatch(/^(a part)? 56(a part)? 56$/);
  });

  it('sends no request whose body is cut off as a whole one', async () => {
    const stdout = await inWorld<string>(`
      const line = 'exec 3<>/dev/tcp/198.18.0.1/80; ' +
        "printf 'POST http://registry.test/x HTTP/1.1\\\\r\\\\nContent-Length: 9\\\\r\\\\n\\\\r\\\\nabc' >&3; " +
        'python3 -c "import socket; s = socket.socket(fileno=3); s.shutdown(1); print(s.recv(100))" 2>&1 | tail -1';
      report((await inside(line, ['registry.test:80'])).stdout);
    `);
    expect(stdout).toContain('Connection reset by peer');
  });

  it('stays for what runs in the background, and ends with it', async () => {
    const result = await inWorld<{ text: string; left: number }>(`
      ${PRELUDE}
      const jobs = new Jobs();
      const sandbox = { level: 'workspace-write', network: { allow: ['registry.test:80', 'registry.test:9000'] } };
      const line = '(until [ -e go ]; do sleep 0.05; done; curl -s http://registry.test/late > late; ' +
        'exec 3<>/dev/tcp/registry.test/9000; touch done; exec sleep 600) & echo up';
      await run(line, { root: ROOT, sandbox, jobs, background: 'adopt' });
      writeFileSync(ROOT + '/go', '');
      const { existsSync, readFileSync } = await import('node:fs');
      await until(() => existsSync(ROOT + '/done') && silent.size === 1);
      const text = readFileSync(ROOT + '/late', 'utf8');
      await jobs.dispose();
      await until(() => silent.size === 0 && descriptors() <= before);
      report({ text, left: silent.size });
    `);
    expect(result).toEqual({ text: '93.184.216.34 registry.test /late 0\n', left: 0 });
  });

  it('ends with a command that is killed', async () => {
    const result = await inWorld<{ status: string; left: number }>(`
      ${PRELUDE}
      const line = 'exec 3<>/dev/tcp/registry.test/9000; sleep 600';
      const { status } = await inside(line, ['registry.test:9000'], { timeout: 1_000 });
      await until(() => silent.size === 0 && descriptors() <= before);
      report({ status, left: silent.size });
    `);
    expect(result).toEqual({ status: 'timeout', left: 0 });
  });

  it('carries 256 MiB in bounded memory, also to a client that reads slowly', async () => {
    const { stdout, growth } = await inWorld<{ stdout: string; growth: number }>(`
      ${PRELUDE}
      const memory = () => process.memoryUsage().rss;
      await inside('curl -s http://registry.test/large | wc -c', ['registry.test:80']);
      const usual = memory();
      let most = usual;
      const timer = setInterval(() => { most = Math.max(most, memory()); }, 10);
      const line = 'curl -s http://registry.test/large | wc -c; ' +
        'curl -s -x socks5h://198.18.0.1:80 http://registry.test/large | (sleep 1; wc -c)';
      const { stdout } = await inside(line, ['registry.test:80']);
      clearInterval(timer);
      report({ stdout, growth: most - usual });
    `);
    expect(stdout).toBe(`${256 << 20}\n${256 << 20}\n`);
    expect(growth).toBeLessThan(64 << 20);
  });
});
