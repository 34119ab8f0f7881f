import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inWorld } from './world.js';

const network = (host: string, port: number, reason: string) => ({ kind: 'network', host, port, reason });

const support = (name: string) => fileURLToPath(new URL(`../../support/${name}`, import.meta.url));

/** A program of a world with `asked`, the questions so far, and `ask(answer)`, a network that asks. */
const ASKING = `
  const { run, ShellSession } = await import(process.env.INDEX);
  const { createTools } = await import('agent-bash/tools');
  const asked = [];
  const ask = (answer, allow = ['registry.test:80']) => ({ level: 'workspace-write', network: { allow,
    onConnect: (question) => { asked.push(question); return answer(question); } } });
  const options = (answer) => ({ root: ROOT, sandbox: ask(answer), env: { CURL_CA_BUNDLE: join(ROOT, 'cert.pem') } });
  const hosts = () => asked.map(({ host, port }) => host + ':' + port);
  const { until } = await import(${JSON.stringify(support('processes.mjs'))});
  const { deliberateDelay } = await import(${JSON.stringify(support('waits.mjs'))});
`;

const asking = <T>(program: string) => inWorld<T>(`import { join } from 'node:path'; ${ASKING} ${program}`);

interface Result {
  stdout: string;
  refused: object[];
  hosts: string[];
}

/** Runs a shell line whose questions get this answer. */
const answered = (line: string, answer: string) =>
  asking<Result>(`
    const { stdout, sandbox } = await run(${JSON.stringify(line)}, options(async () => ${JSON.stringify(answer)}));
    report({ stdout, refused: sandbox.refused, hosts: hosts() });
  `);

const WITHOUT_PROXY =
  'unset HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NODE_USE_ENV_PROXY; ';

/** Runs a program with `line`, which ends a connecting command once `end` is asked about its host. */
const ended = <T>(connecting: string, program: string) =>
  asking<T>(`
    const end = () => {
      writeFileSync(join(ROOT, 'asked'), '');
      return new Promise(() => {});
    };
    const line = ${JSON.stringify(connecting)}
      + ' & until [ -e ' + ROOT + '/asked ]; do sleep 0.1; done; kill $!; sleep 1000';
    ${program}
  `);

describe('a connection to a host that is not listed', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it.each(['once', 'always'])('is made after %s, and a listed host is not asked about', async (answer) => {
    const line = 'curl -s http://registry.test/; curl -s http://evil.test/a; curl -s http://evil.test/b';
    const { stdout, refused, hosts } = await answered(line, answer);
    expect(stdout).toBe(
      ['registry.test / 0', 'evil.test /a 0', 'evil.test /b 0']
        .map((end) => `93.184.216.34 ${end}\n`)
        .join(''),
    );
    expect(refused).toEqual([]);
    expect(hosts).toEqual(['evil.test:80']);
  });

  it.each(['no', 'never'])('is refused after %s, and not asked about again', async (answer) => {
    const { stdout, refused, hosts } = await answered(
      'curl -s http://evil.test/; curl -s http://evil.test/',
      answer,
    );
    expect(stdout).toBe('Refused by the sandbox: evil.test:80 (declined).\n'.repeat(2));
    expect(refused).toEqual([network('evil.test', 80, 'declined'), network('evil.test', 80, 'declined')]);
    expect(hosts).toEqual(['evil.test:80']);
  });

  it('works without a proxy at the ports 22, 80 and 443', async () => {
    const line = `${WITHOUT_PROXY} curl -s http://evil.test/; curl -s https://evil.test/;
      curl -s http://evil.test:8080/ || echo $?`;
    const { stdout, refused, hosts } = await answered(line, 'once');
    expect(stdout).toBe('93.184.216.34 evil.test / 0\n93.184.216.34 evil.test / 0\n7\n');
    expect(refused).toEqual([network('evil.test', 8080, 'not-allowed')]);
    expect(hosts).toEqual(['evil.test:80', 'evil.test:443']);
  });

  it('is asked about at any port through the proxy, and by its address', async () => {
    const line = 'curl -s http://evil.test:8080/; curl -s http://93.184.216.35/';
    const { stdout, hosts } = await answered(line, 'once');
    expect(stdout).toContain('evil.test:8080 / 0');
    expect(stdout).toContain('93.184.216.35 93.184.216.35 / 0');
    expect(hosts).toEqual(['evil.test:8080', '93.184.216.35:80']);
  });

  it('shares one question with parallel ones', async () => {
    const line = 'for i in 1 2 3 4 5 6; do curl -s http://evil.test/ & done; wait';
    const { stdout, hosts } = await answered(line, 'once');
    expect(stdout.match(/evil\.test/g)).toHaveLength(6);
    expect(hosts).toEqual(['evil.test:80']);
  });

  it('never leads to a private address, whatever the answer', async () => {
    const line =
      'curl -s http://inner.test/; curl -s http://10.9.8.7/; curl -s http://127.0.0.2:80/ -x $HTTP_PROXY';
    const { stdout, refused, hosts } = await answered(line, 'always');
    expect(stdout).not.toContain(' / 0');
    expect(refused).toContainEqual(network('inner.test', 80, 'private-address'));
    expect(refused).toContainEqual(network('10.9.8.7', 80, 'private-address'));
    expect(hosts).toEqual(['inner.test:80']);
  });

  it('is not even looked up before a yes', async () => {
    const names = await asking<{ before: string[]; after: string[]; stdout: string }>(`
      const looked = [];
      await nameServer((name) => { looked.push(name); return PUBLIC; });
      let before;
      const { stdout } = await run('curl -s http://other.example/', options(async () => {
        before = [...looked];
        return 'once';
      }));
      report({ before, after: [...new Set(looked)], stdout });
    `);
    expect(names.before).toEqual([]);
    expect(names.after).toContain('other.example');
    expect(names.stdout).toContain('other.example / 0');
  });

  it('tells who is asked of the command and its job, and when no answer is needed any more', async () => {
    const result = await asking<object>(`
      const { Jobs } = await import(process.env.INDEX);
      const job = new Jobs().start('curl -s http://evil.test/', options(() => new Promise(() => {})));
      await until(() => asked.length > 0);
      const { host, port, command, jobId, signal } = asked[0];
      const { aborted } = signal;
      const over = new Promise((resolve) => signal.addEventListener('abort', () => resolve(true)));
      job.kill();
      report({ host, port, command, isOfJob: jobId === job.id, aborted, over: await over });
    `);
    const question = { host: 'evil.test', port: 80, command: 'curl -s http://evil.test/', isOfJob: true };
    expect(result).toEqual({ ...question, aborted: false, over: true });
  });

  it('is asked about for the bash tool too', async () => {
    const result = await asking<{ text: string; hosts: string[] }>(`
      const { bash } = await import(process.env.INDEX);
      const sandbox = ask(async () => 'once');
      report({ text: await bash({ command: 'curl -s http://evil.test/' }, ROOT, false, { sandbox }), hosts: hosts() });
    `);
    expect(result.text).toContain('evil.test / 0');
    expect(result.hosts).toEqual(['evil.test:80']);
  });

  it('does not keep a tool from its answer after the time to yield', async () => {
    const result = await asking<{ first: string; last: string }>(`
      const toolset = createTools('bash', { ...options(() => answer), timeout: { yield: 300 } });
      let yes;
      const answer = new Promise((resolve) => { yes = resolve; });
      const first = (await toolset.call('bash', { command: 'curl -s http://evil.test/' })).text;
      yes('once');
      const [job] = toolset.jobs.list();
      const { stdout: last } = await job.result;
      await toolset.dispose();
      report({ first, last });
    `);
    expect(result.first).toContain('job-');
    expect(result.last).toContain('evil.test / 0');
  });

  it.each([
    ["throw new Error('no idea')", /no idea/],
    ["return 'yes'", /expected 'once', 'always', 'no' or 'never', got "yes"/],
  ])('is refused when the function fails: %s', async (body, message) => {
    const { stdout, warning } = await asking<{ stdout: string; warning: string }>(`
      const warning = new Promise((resolve) => process.on('warning', resolve));
      const { stdout } = await run('curl -s http://evil.test/', options(() => { ${body} }));
      report({ stdout, warning: String(await warning) });
    `);
    expect(stdout).toBe('Refused by the sandbox: evil.test:80 (not in the list of allowed hosts).\n');
    expect(warning).toMatch(message);
  });

  it('stops the timeouts of the command while a person thinks', async () => {
    const result = await asking<{ status: string; stdout: string }>(`
      const slow = () => deliberateDelay(1_500).then(() => 'once');
      const { status, stdout } = await run('curl -s http://evil.test/', { ...options(slow), timeout: 1_000,
        idleTimeout: 1_000 });
      report({ status, stdout });
    `);
    expect(result).toEqual({ status: 'exited', stdout: '93.184.216.34 evil.test / 0\n' });
  });

  it('is a question no more once its program has ended, and the timeouts go on', async () => {
    const result = await ended<{ status: string; aborted: boolean }>(
      'curl -s http://evil.test/',
      `const { status } = await run(line, { ...options(end), timeout: 10_000 });
      report({ status, aborted: asked[0].signal.aborted });`,
    );
    expect(result).toEqual({ status: 'timeout', aborted: true });
  });

  it.each(['http', 'https'])('without a proxy ends with its program too: %s', async (scheme) => {
    const result = await ended<{ aborted: boolean }>(
      `${WITHOUT_PROXY} curl -s ${scheme}://evil.test/`,
      `const { Jobs } = await import(process.env.INDEX);
      const job = new Jobs().start(line, options(end));
      await until(() => asked[0]?.signal.aborted);
      job.kill('SIGKILL');
      report({ aborted: asked[0].signal.aborted });`,
    );
    expect(result).toEqual({ aborted: true });
  });

  it('of what runs between two commands of a session is refused at once', async () => {
    const { stdout, hosts } = await asking<Result>(`
      const fs = await import('node:fs');
      const session = new ShellSession({ ...options(async () => 'once'), keep: 'process' });
      const wait = 'until [ -e ' + ROOT + '/go ]; do sleep 0.1; done';
      const connect = 'curl -s http://evil.test/ >' + ROOT + '/out; touch ' + ROOT + '/over';
      await session.run('(' + wait + '; ' + connect + ') >/dev/null 2>&1 &');
      fs.writeFileSync(join(ROOT, 'go'), '');
      await until(() => fs.existsSync(join(ROOT, 'over')));
      const stdout = fs.readFileSync(join(ROOT, 'out'), 'utf8');
      await session.close();
      report({ stdout, hosts: hosts() });
    `);
    expect(stdout).toBe('Refused by the sandbox: evil.test:80 (not in the list of allowed hosts).\n');
    expect(hosts).toEqual([]);
  });

  it('of what the shell of a session starts with is refused at once', async () => {
    const { stdout, hosts } = await asking<Result>(`
      const HOME = join(ROOT, '..');
      writeFileSync(join(HOME, '.bashrc'), 'curl -s http://evil.test/ >>' + ROOT + '/out');
      const { env, ...rest } = options(async () => 'once');
      const shell = { shell: '/bin/bash', startFiles: 'interactive', env: { ...env, HOME } };
      const session = new ShellSession({ ...rest, ...shell, keep: 'process' });
      const { stdout } = await session.run('cat ' + ROOT + '/out');
      await session.close();
      report({ stdout, hosts: hosts() });
    `);
    expect(stdout).toBe('Refused by the sandbox: evil.test:80 (not in the list of allowed hosts).\n');
    expect(hosts).toEqual([]);
  });

  it('is one of 20 hosts at most, 4 at a time', async () => {
    const { most, count, stdout } = await asking<{ most: number; count: number; stdout: string }>(`
      let open = 0, most = 0;
      const answer = async () => {
        most = Math.max(most, ++open);
        await deliberateDelay(20);
        open--;
        return 'no';
      };
      const line = 'for i in $(seq 25); do curl -s http://h$i.test/ & done; wait';
      const { stdout } = await run(line, options(answer));
      report({ most, count: asked.length, stdout });
    `);
    expect(most).toBe(4);
    expect(count).toBe(20);
    expect(stdout.match(/declined/g)).toHaveLength(20);
    expect(stdout.match(/not in the list/g)).toHaveLength(5);
  });
});

describe('a lasting answer', { tags: ['root', 'sandbox', 'curl'] }, () => {
  it.each(['process', 'state'])('holds for the session: %s', async (keep) => {
    const result = await asking<{ outputs: string[]; hosts: string[] }>(`
      const answers = { 'evil.test': 'always', 'a.wild.test': 'never', 'b.wild.test': 'once' };
      const session = new ShellSession({ ...options(async ({ host }) => answers[host]), keep: '${keep}' });
      const outputs = [];
      for (const host of ['evil.test', 'evil.test', 'a.wild.test', 'a.wild.test', 'b.wild.test', 'b.wild.test']) {
        outputs.push((await session.run('curl -s http://' + host + '/')).stdout);
      }
      await session.close();
      report({ outputs, hosts: hosts() });
    `);
    expect(result.outputs.map((text) => text.includes('/ 0'))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(result.hosts).toEqual(['evil.test:80', 'a.wild.test:80', 'b.wild.test:80', 'b.wild.test:80']);
  });

  it('holds for the toolset, whose description says that the user is asked', async () => {
    const result = await asking<{ texts: string[]; hosts: string[]; description: string }>(`
      const toolset = createTools('bash', options(async () => 'always'));
      const texts = [];
      for (let count = 0; count < 2; count++) {
        texts.push((await toolset.call('bash', { command: 'curl -s http://evil.test/' })).text);
      }
      const { description } = toolset.tools[0];
      await toolset.dispose();
      report({ texts, hosts: hosts(), description });
    `);
    expect(result.texts).toEqual([
      expect.stringContaining('evil.test / 0'),
      expect.stringContaining('evil.test / 0'),
    ]);
    expect(result.hosts).toEqual(['evil.test:80']);
    expect(result.description).toContain(
      'The network reaches registry.test:80. The user is asked, while the command waits, about each other host.',
    );
  });

  it('holds, and questions go on, for a command that was granted more hosts', async () => {
    const result = await asking<{ text: string; hosts: string[] }>(`
      const toolset = createTools('bash', { root: ROOT, policy: { allow: ['Bash'] }, approve: () => 'allow',
        sandbox: { ...ask(async () => 'always'), escalate: 'ask' } });
      await toolset.call('bash', { command: 'curl -s http://evil.test/' });
      const command = 'for host in evil a.wild b.wild; do curl -s http://$host.test/; done';
      const more = { allow_hosts: ['a.wild.test:80'], reason: 'to install' };
      const { text } = await toolset.call('bash', { command, ...more });
      await toolset.dispose();
      report({ text, hosts: hosts() });
    `);
    for (const host of ['evil', 'a.wild', 'b.wild']) expect(result.text).toContain(`${host}.test / 0`);
    expect(result.hosts).toEqual(['evil.test:80', 'b.wild.test:80']);
  });
});
