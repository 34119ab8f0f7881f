import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inWorld, worldDirectory } from './world.js';

describe('a command with allowed hosts', { tags: ['root', 'sandbox', 'curl', 'python3'] }, () => {
  for (const asUser of [false, true]) {
    it(`have a WebSocket through the proxy without CONNECT (${asUser ? 'an ordinary user' : 'root'})`, async () => {
      const client = `const { port, hostname } = new URL(process.env.HTTP_PROXY);
      const socket = require('node:net').connect(port || 80, hostname);
      socket.write('GET http://registry.test:8080/ HTTP/1.1\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
      socket.once('data', (head) => {
        console.log(String(head).split('\\r\\n')[0]);
        socket.end('ping');
        socket.on('data', (data) => console.log(String(data)));
      });`;
      const result = await inWorld<string>(
        `
      const { stdout, stderr } = await inside([process.execPath, '-e', ${JSON.stringify(client)}], ['registry.test:8080']);
      report(stdout + stderr);
    `,
        { asUser },
      );
      expect(result).toBe('HTTP/1.1 101 Switching Protocols\nping\n');
    });

    it(`reaches them by curl, with a proxy and without (${asUser ? 'an ordinary user' : 'root'})`, async () => {
      const { results, requests } = await inWorld<{
        results: { stdout: string; stderr: string; refused: unknown }[];
        requests: string[];
      }>(
        `
        const allow = ['registry.test:80', 'registry.test:443', '*.wild.test:80'];
        const curl = 'curl -sS http://registry.test/a https://registry.test/b http://a.wild.test/c';
        const results = [];
        for (const before of ['', WITHOUT_PROXY]) {
          const { stdout, stderr, sandbox } = await inside(before + curl, allow);
          results.push({ stdout, stderr, refused: sandbox?.refused });
        }
        report({ results, requests });
        `,
        { asUser },
      );
      const expected = {
        stdout:
          '93.184.216.34 registry.test /a 0\n93.184.216.34 registry.test /b 0\n93.184.216.34 a.wild.test /c 0\n',
        stderr: '',
        refused: [],
      };
      expect(results).toEqual([expected, expected]);
      expect(requests).toHaveLength(6);
    });
  }

  it('reaches them by fetch of Node and by Python', async () => {
    const outputs = await inWorld<string[]>(`
      const fetched = "fetch('http://registry.test/f').then((r) => r.text()).then(console.log)";
      const python = "import urllib.request as u; print(u.urlopen('http://registry.test/p').read().decode())";
      const line = process.execPath + ' -e "' + fetched + '"; python3 -c "' + python + '"';
      const outputs = [];
      for (const before of ['', WITHOUT_PROXY]) {
        outputs.push((await inside(before + line, ['registry.test:80'])).stdout);
      }
      report(outputs);
    `);
    const expected = '93.184.216.34 registry.test /f 0\n\n93.184.216.34 registry.test /p 0\n\n';
    expect(outputs).toEqual([expected, expected]);
  });

  it('sends bodies of a length and in chunks', async () => {
    const output = await inWorld<string>(`
      writeFileSync(ROOT + '/body', 'x'.repeat(1_000_000));
      const curl = 'curl -sS --data-binary @body http://registry.test/a; ' +
        "curl -sS -H 'Transfer-Encoding: chunked' --data-binary @body http://registry.test/b; " +
        "curl -sS -H 'Expect: 100-continue' -T body http://registry.test/c";
      report((await inside(curl, ['registry.test:80'])).stdout);
    `);
    expect(output.split('\n').map((line) => line.split(' ').at(-1))).toEqual([
      '1000000',
      '1000000',
      '1000000',
      '',
    ]);
  });

  it('clones by git over HTTP and HTTPS', async () => {
    const directory = worldDirectory();
    const repository = join(directory, 'repository');
    const git = (...words: string[]) => execFileSync('git', ['-C', repository, ...words], { stdio: 'pipe' });
    mkdirSync(repository);
    git('init', '-q');
    writeFileSync(join(repository, 'file'), 'text');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-qm', 'm');
    git('update-server-info');
    cpSync(join(repository, '.git'), join(directory, 'www', 'r.git'), { recursive: true });
    const result = await inWorld<{ stdout: string; stderr: string }>(
      `
      const env = { GIT_SSL_CAINFO: ROOT + '/cert.pem' };
      const line = 'git clone -q http://registry.test/r.git a && git clone -q https://registry.test/r.git b; ' +
        WITHOUT_PROXY + 'git clone -q http://registry.test/r.git c && git clone -q https://registry.test/r.git d; ' +
        'cat a/file b/file c/file d/file';
      report(await inside(line, ['registry.test:80', 'registry.test:443'], { env }));
      `,
      { directory },
    );
    expect([result.stdout, result.stderr]).toEqual(['texttexttexttext', '']);
  });

  it('installs packages by npm and pip', async () => {
    const directory = worldDirectory();
    const site = join(directory, 'www');
    mkdirSync(join(directory, 'package'));
    writeFileSync(join(directory, 'package', 'package.json'), '{"name":"small","version":"1.0.0"}');
    execFileSync('tar', ['-czf', join(site, 'small.tgz'), '-C', directory, 'package']);
    const version = { name: 'small', version: '1.0.0', dist: { tarball: 'http://registry.test/small.tgz' } };
    writeFileSync(
      join(site, 'small'),
      JSON.stringify({ name: 'small', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
    );
    mkdirSync(join(site, 'simple', 'tiny'), { recursive: true });
    const wheel = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    info = 'tiny-1.0.dist-info/'
    z.writestr('tiny.py', '')
    z.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    z.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr(info + 'RECORD', '')
`;
    execFileSync('python3', ['-c', wheel, join(site, 'simple', 'tiny', 'tiny-1.0-py3-none-any.whl')]);
    writeFileSync(
      join(site, 'simple', 'tiny', 'index.html'),
      '<a href="tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>',
    );
    const results = await inWorld<{ files: string[]; output: string }[]>(
      `
      const registry = 'http://registry.test/';
      const npm = 'npm install --no-audit --no-fund --no-update-notifier --registry ' + registry + ' small';
      const pip = 'pip download --no-deps --disable-pip-version-check --trusted-host registry.test -q' +
        ' --no-cache-dir --index-url ' + registry + 'simple -d wheels tiny';
      const results = [];
      for (const before of ['', WITHOUT_PROXY]) {
        const line = before + 'rm -rf node_modules wheels package*.json; echo {} > package.json; ' + npm + '; ' + pip;
        const { stdout, stderr } = await inside(line, ['registry.test:80'], { env: { npm_config_cache: '/tmp/npm' } });
        const files = (name) => { try { return readdirSync(ROOT + '/' + name); } catch { return []; } };
        results.push({ files: [...files('node_modules'), ...files('wheels')], output: stdout + stderr });
      }
      report(results);
      `,
      { directory },
    );
    for (const { files, output } of results) {
      expect(files, output).toEqual(['.package-lock.json', 'small', 'tiny-1.0-py3-none-any.whl']);
    }
  }, 120_000);

  for (const level of ['read-only', 'isolated']) {
    it(`reaches them at the level ${level}`, async () => {
      const result = await inWorld<{ stdout: string; refused: unknown }>(`
        const sandbox = { level: '${level}', network: { allow: ['registry.test:80'] } };
        const line = 'curl -sS http://registry.test/a; ' + WITHOUT_PROXY + 'curl -sS http://registry.test/b; ' +
          'curl -s http://evil.test/';
        const { stdout, sandbox: { refused } } = await inside(line, [], { sandbox });
        report({ stdout, refused });
      `);
      expect(result).toEqual({
        stdout: '93.184.216.34 registry.test /a 0\n93.184.216.34 registry.test /b 0\n',
        refused: [{ kind: 'name', host: 'evil.test' }],
      });
    });
  }

  it('may be one of a session', async () => {
    const result = await inWorld<{ outputs: string[]; refused: unknown[] }>(`
      const { ShellSession } = await import(process.env.INDEX);
      const sandbox = { level: 'workspace-write', network: { allow: ['registry.test:80'] } };
      const line = 'curl -s http://registry.test/s; ' + WITHOUT_PROXY + 'curl -s http://registry.test/t; ' +
        'curl -s http://evil.test/';
      const session = new ShellSession({ root: ROOT, sandbox });
      const results = [await session.run(line), await session.run(line)];
      await session.close();
      report({ outputs: results.map((r) => r.stdout), refused: results.map((r) => r.sandbox?.refused) });
    `);
    const output = '93.184.216.34 registry.test /s 0\n93.184.216.34 registry.test /t 0\n';
    expect(result.outputs).toEqual([output, output]);
    expect(result.refused.at(-1)).toEqual([{ kind: 'name', host: 'evil.test' }]);
  });

  it('is described to a model, which may use them by a tool', async () => {
    const result = await inWorld<{ description: string; text: string }>(`
      const { createTools } = await import('agent-bash/tools');
      const sandbox = { level: 'workspace-write', network: { allow: ['registry.test:80', '*.wild.test:80'] } };
      const toolset = createTools('bash', { root: ROOT, sandbox });
      const [tool] = toolset.tools;
      const answer = await tool.execute({ command: 'curl -s http://registry.test/; curl -sf http://evil.test/' });
      report({ description: tool.description, text: answer.text });
    `);
    expect(result.description).toContain('The network reaches registry.test:80 and *.wild.test:80 alone.');
    expect(result.text).toContain('93.184.216.34 registry.test / 0');
    expect(result.text).toContain('evil.test:80 (not in the list of allowed hosts)');
  });

  it('reaches listed addresses, with a proxy and without', async () => {
    const outputs = await inWorld<{ stdout: string; refused: unknown }[]>(`
      const line = 'curl -sS http://10.9.8.7/a http://93.184.216.34/b http://[::ffff:10.9.8.7]/c; curl -s http://10.9.8.7:8080/';
      const outputs = [];
      for (const before of ['', WITHOUT_PROXY]) {
        const { stdout, sandbox } = await inside(before + line, ['10.9.8.7:80', '93.184.216.34:80', 'registry.test:8080']);
        outputs.push({ stdout, refused: sandbox.refused });
      }
      report(outputs);
    `);
    const refused = [{ kind: 'network', host: '10.9.8.7', port: 8080, reason: 'not-allowed' }];
    const [proxied, direct] = outputs;
    const reached = [
      '10.9.8.7 10.9.8.7 /a 0',
      '93.184.216.34 93.184.216.34 /b 0',
      '10.9.8.7 [::ffff:10.9.8.7] /c 0',
    ];
    const text = 'Refused by the sandbox: 10.9.8.7:8080 (not in the list of allowed hosts).';
    expect(proxied?.stdout.split('\n')).toEqual([...reached, text, '']);
    expect(direct?.stdout.split('\n')).toEqual([...reached, '']);
    expect([proxied?.refused, direct?.refused]).toEqual([refused, refused]);
  });

  it('has servers of its own, also at a listed port', async () => {
    const result = await inWorld<{ stdout: string; refused: unknown }>(`
      const own = "require('node:http').createServer((q, r) => r.end('own\\\\n')).listen(8080, " +
        "() => console.log('up'))";
      const line = process.execPath + ' -e "' + own + '" > log & until grep -q up log; do sleep 0.05; done; ' +
        'curl -sS http://localhost:8080/ http://127.0.0.1:8080/ http://registry.test:8080/; ' +
        WITHOUT_PROXY + 'curl -sS http://localhost:8080/ http://registry.test:8080/; kill %1';
      const { stdout, sandbox } = await inside(line, ['registry.test:8080']);
      report({ stdout, refused: sandbox.refused });
    `);
    const reached = '93.184.216.34 registry.test:8080 / 0\n';
    expect(result).toEqual({ stdout: `own\nown\n${reached}own\n${reached}`, refused: [] });
  });

  it('has 200 connections at once', async () => {
    const result = await inWorld<{ stdout: string; requests: number }>(`
      writeFileSync(ROOT + '/many.mjs', \`
        const all = Array.from({ length: 200 }, (_, index) =>
          fetch('http://registry.test/' + index).then((response) => response.text()));
        console.log(new Set(await Promise.all(all)).size);
      \`);
      const curl = 'seq 200 | xargs -P 100 -I N curl -sS http://registry.test/N | sort -u | wc -l';
      const { stdout } = await inside(process.execPath + ' many.mjs; ' + curl, ['registry.test:80']);
      report({ stdout, requests: requests.length });
    `);
    expect(result).toEqual({ stdout: '200\n200\n', requests: 400 });
  });
});
