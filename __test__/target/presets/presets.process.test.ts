import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, Target } from '../../../index.js';
import { temporaryDirectory } from '../../support/directory.js';
import { importBusybox, PODMAN, podman } from '../podman.js';
import { Client } from './clients.js';

/** Executes what follows the service, the name of the container, or the separator. */
const COMPOSE = 'while [ "$1" != web ]; do shift; done; shift; there "$@"';
const KUBECTL = `
  for word; do case $word in get) cat '@PODS@'; exit;; exec) break;; esac; done
  while [ "$1" != -- ]; do shift; done; shift; there "$@"`;
const DOCKER = `
  case $1 in
    ps) echo 0123456789ab;;
    inspect) case $3 in *Labels*) echo '[{"remoteUser":"root"},{"id":"x","remoteUser":"node"}]';; *) echo /tmp;; esac;;
    exec) while [ "$1" != 0123456789ab ]; do shift; done; shift; cd /tmp; there "$@";;
  esac`;

function kubectl(pods: string): Client & { pods: string } {
  const file = join(temporaryDirectory(), 'pods');
  writeFileSync(file, pods);
  return Object.assign(new Client(KUBECTL.replace('@PODS@', file)), { pods: file });
}

describe.skipIf(process.platform !== 'linux')('a target in a service of docker compose', () => {
  it('has the results of its commands, by an exec without a terminal', async () => {
    const client = new Client(COMPOSE);
    const file = ['a.yml', 'b.yml'];
    const { program } = client;
    await using target = Target.compose('web', { program, file, project: 'p', user: 'me', index: 2 });
    const { stdout, stderr, exitCode } = await run('echo out; echo err >&2; exit 3', { target });
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 });
    expect(client.calls()).toEqual(['-f a.yml -f b.yml -p p exec -T --user me --index=2 web']);
  });

  it('says that a service does not run', async () => {
    const client = new Client(`echo 'service "web" is not running' >&2; exit 1`);
    await using target = Target.compose('web', { program: client.program });
    const { error } = await run('true', { target });
    expect(error).toEqual({
      code: 'TARGET_CONTAINER',
      message: `The container behind 'service 'web'' is missing, or does not run: "service "web" is not running".`,
    });
  });
});

describe.skipIf(process.platform !== 'linux')('a target in a pod', () => {
  it('has the results of its commands, by name', async () => {
    const client = kubectl('');
    const options = { name: 'web-1', namespace: 'n', container: 'c', context: 'x', kubeconfig: '/k' };
    await using target = Target.pod({ program: [client.program, '--v=0'], ...options });
    expect((await run('cat; exit 3', { target, input: 'in' })).stdout).toBe('in');
    expect(client.calls()).toEqual(['--v=0 --kubeconfig /k --context x -n n exec -i web-1 -c c --']);
  });

  it('is found by a selector for each connection', async () => {
    const client = kubectl('pod/old\npod/new\n');
    const selector = 'app in (a, b),!c';
    await using target = Target.pod({ program: client.program, selector, namespace: 'n', idle: 1 });
    expect((await run('echo here', { target })).stdout).toBe('here\n');
    const get = `-n n get pods -l ${selector} --field-selector=status.phase=Running`;
    expect(client.calls()).toEqual([
      `${get} --sort-by=.metadata.creationTimestamp -o name`,
      '-n n exec -i pod/new --',
    ]);
    await target.dispose();
    writeFileSync(client.pods, 'pod/other\n');
    await using next = Target.pod({ program: client.program, selector });
    expect((await run('echo here', { target: next })).stdout).toBe('here\n');
    expect(client.calls().at(-1)).toBe('exec -i pod/other --');
  });

  it('says that none matches, and passes the words of a failed client on', async () => {
    await using none = Target.pod({ program: kubectl('').program, selector: "app='x'" });
    const missing = await run('true', { target: none });
    expect(missing.error?.code).toBe('TARGET_CONTAINER');
    expect(missing.error?.message).toContain("no running pod matches app='x'");
    const client = new Client('echo "error: no configuration" >&2; exit 1');
    await using failed = Target.pod({ program: client.program, selector: 'a' });
    const { error } = await run('true', { target: failed });
    expect(error?.code).toBe('TARGET_SHELL');
    expect(error?.message).toContain(
      'pod of \'a\' answered, but started no shell: "error: no configuration"',
    );
  });

  it('does not run where the client gives it a terminal', { tags: ['python3'] }, async () => {
    const spawn = `exec python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@"`;
    const client = new Client(`while [ "$1" != -- ]; do shift; done; shift; ${spawn}`);
    await using target = Target.pod({ program: client.program, name: 'web' });
    const { error } = await run('true', { target });
    expect(error?.code).toBe('TARGET_SHELL');
    expect(error?.message).toContain("exec: 'pod 'web'' must carry bytes, and so without a terminal");
  });
});

describe.skipIf(process.platform !== 'linux')('a target in a dev container', () => {
  it('is found by the folder, with its user and its workspace', async () => {
    const client = new Client(DOCKER);
    await using target = Target.devcontainer("/home/me/it's", { program: client.program });
    expect((await run('pwd', { target })).stdout).toBe('/tmp\n');
    expect(client.calls()[0]).toBe("ps -q --filter label=devcontainer.local_folder=/home/me/it's");
    expect(client.calls()).toHaveLength(4);
    expect(client.calls()[3]).toBe('exec -i --user node -w /tmp 0123456789ab');
  });

  it('takes another user, and says that none runs', async () => {
    const client = new Client(DOCKER);
    await using target = Target.devcontainer('/home/me/p/', { program: client.program, user: 'other' });
    await run('true', { target });
    expect(client.calls().at(-1)).toContain('exec -i --user other -w /tmp');
    await using none = Target.devcontainer('/p', { program: new Client('exit 0').program });
    const { error } = await run('true', { target: none });
    expect(error?.code).toBe('TARGET_CONTAINER');
    expect(error?.message).toContain('no running container has the label devcontainer.local_folder=/p');
  });
});

describe('a dev container of podman', { tags: ['podman'], timeout: 60_000 }, () => {
  const folder = temporaryDirectory();
  const name = `agent-bash-preset-${process.pid}`;
  const image = `localhost/${name}:1`;

  beforeAll(() => {
    importBusybox(image);
    const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    const labels = [`devcontainer.local_folder=${folder}`, 'devcontainer.metadata=[{"remoteUser":"root"}]'];
    const words = [...labels.flatMap((label) => ['--label', label]), '-v', `${folder}:/workspaces/it`];
    podman(
      'run',
      '-d',
      '--name',
      name,
      '--network',
      'none',
      ...limits,
      ...words,
      image,
      '/bin/sleep',
      '1000',
    );
  });

  afterAll(() => {
    podman('rm', '-f', '--time', '0', name);
    podman('rmi', '-f', image);
  });

  it('has the files of its folder, and a server in it is reached without a network', async () => {
    await using target = Target.devcontainer(folder, { program: PODMAN });
    const { stdout, error } = await run('pwd; echo x >new; id -u', { target });
    expect({ stdout, error }).toEqual({ stdout: '/workspaces/it\n0\n', error: null });
    expect(existsSync(join(folder, 'new'))).toBe(true);
    const httpd = await run('httpd -p 127.0.0.1:8080 -h /workspaces/it', { target });
    expect(httpd.exitCode).toBe(0);
    const port = await target.forward(8080);
    expect(await (await fetch(`http://127.0.0.1:${port.port}/new`)).text()).toBe('x\n');
  });
});

describe.skipIf(process.platform !== 'linux')('an engine on another machine', () => {
  it('gets no workspace of this one', async () => {
    const client = new Client(`
      case "$1 $2" in
        --version*) echo 'Docker version 28.2.2';;
        info*) echo '28.2.2 []';;
        'context inspect') echo ssh://me@build;;
      esac`);
    const container = { engine: client.program, image: 'i', workspace: client.home };
    await using target = new Target({ container });
    const { error } = await run('true', { target });
    expect(error?.code).toBe('TARGET_START');
    expect(error?.message).toContain(
      'container.workspace: the engine runs on another machine (ssh://me@build)',
    );
    expect(client.calls().some((call) => call.startsWith('run'))).toBe(false);
  });
});

describe('the options of presets', () => {
  it.each([
    [() => Target.compose('-T'), "'service': expected text without control characters"],
    [() => Target.compose('web', { index: 0 }), "'options.index': expected an integer"],
    [() => Target.compose('web', { program: [] }), "'options.program': expected a program"],
    [() => Target.compose('web', { tty: true } as never), "'options.tty': unknown"],
    [() => Target.pod({}), "'options': expected a name or a selector"],
    [() => Target.pod({ name: 'a', selector: 'b' }), "'options': expected a name or a selector"],
    [() => Target.pod({ name: 'a', context: '--kubeconfig' }), "'options.context': expected text"],
    [() => Target.devcontainer('/a', { user: '' }), "'options.user': expected text"],
    [() => Target.pod({ name: 'a', idle: 0 }), 'idle: expected a number of milliseconds'],
  ])('%s throws a TypeError', (make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`Invalid option`);
    expect(make).toThrow(message);
  });
});
