import { once } from 'node:events';
import { createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Jobs, run, type SandboxLevel } from '../../../index.js';
import { session } from '../../session/support.js';
import { temporaryDirectory } from '../../support/directory.js';
import { argumentsOf } from '../../tools/arguments.js';
import { workspace } from '../support.js';

const node = (code: string) => `${process.execPath} -e ${JSON.stringify(code)}`;
const OUTSIDE = [{ kind: 'no-network', reason: 'unreachable' }];
const NO_SERVER = [{ kind: 'no-network', reason: 'no-server' }];

/** A program that connects to an address, and fails without a connection. */
const connecting = (host: string, port = 80) =>
  node(`require('net').connect(${port}, '${host}').on('error', () => process.exit(4))`);

/** A program that sends a datagram without a connection, and fails then. */
const sending = (family: 'udp4' | 'udp6', host: string) =>
  node(`require('dgram').createSocket('${family}').send('x', 53, '${host}', () => process.exit(4))`);

const resolving = node("require('dns').lookup('registry.example.org', () => process.exit(4))");

/** A program that is refused at first, then reaches its own server, and fails for another reason. */
const SERVING = node(
  "const { connect, createServer } = require('net'); connect(1, '127.0.0.1').on('error', () => {" +
    ' const server = createServer(() => process.exit(4));' +
    " server.listen(0, '127.0.0.1', () => connect(server.address().port, '127.0.0.1')) })",
);

async function refusedOf(command: string, level: SandboxLevel = 'workspace-write') {
  const { sandbox, exitCode } = await run(command, workspace({ level }));
  return { exitCode, refused: sandbox?.refused };
}

describe('a command without network', { tags: ['sandbox'] }, () => {
  const levels = ['read-only', 'workspace-write', 'isolated'] as const;
  it.each(levels)('that fails is told so, if it tried to connect: %s', async (level) => {
    expect(await refusedOf(connecting('192.0.2.1'), level)).toEqual({ exitCode: 4, refused: OUTSIDE });
  });

  it.each([
    ['by IPv6', connecting('2001:db8::1')],
    ['by a name', resolving],
    ['by a datagram', sending('udp4', '192.0.2.1')],
    ['by a datagram of IPv6', sending('udp6', '2001:db8::1')],
    ['from a child that a shell has left in the background', `${resolving} & wait; exit 4`],
  ])('that fails is told so, if it tried to reach the network %s', async (_way, command) => {
    expect(await refusedOf(command)).toEqual({ exitCode: 4, refused: OUTSIDE });
  });

  it('that is killed is told so', async () => {
    await using table = new Jobs();
    const job = table.start(`${resolving}; echo tried; sleep 1000`, workspace());
    await once(job, 'data');
    job.kill();
    expect((await job.result).sandbox?.refused).toEqual(OUTSIDE);
  });

  it('that finds no server on its own loopback is told so', async () => {
    expect(await refusedOf(connecting('127.0.0.1', 1))).toEqual({ exitCode: 4, refused: NO_SERVER });
  });

  it('that reaches its own server in the end is told nothing', async () => {
    expect(await refusedOf(SERVING)).toEqual({ exitCode: 4, refused: [] });
  });

  it('that fails without it is told nothing', async () => {
    expect(await refusedOf('exit 4')).toEqual({ exitCode: 4, refused: [] });
  });

  it('that succeeds is told nothing', async () => {
    expect(await refusedOf(`${resolving} || true`)).toEqual({ exitCode: 0, refused: [] });
  });

  it('learns of it in a session only where the command itself tried', async () => {
    const shell = session(workspace());
    await shell.run(`${resolving} || true`);
    expect((await shell.run('(exit 4)')).sandbox?.refused).toEqual([]);
    expect((await shell.run(resolving)).sandbox?.refused).toEqual(OUTSIDE);
    expect((await shell.run('(exit 4)')).sandbox?.refused).toEqual([]);
  });

  it.each([...dialects])('gives the model one line that says so: %s', async (dialect) => {
    const toolset = createTools(dialect, { root: temporaryDirectory(), sandbox: 'workspace-write' });
    onTestFinished(() => toolset.dispose());
    const [main] = toolset.tools;
    const { text } = (await main?.execute(argumentsOf(dialect, resolving))) ?? { text: '' };
    expect(text.match(/refused by the sandbox: .*/g)).toHaveLength(1);
    expect(text).toContain('refused by the sandbox: the network (it is off)');
  });
});
