import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/server';
import { createMcpServer, type McpOptions } from 'agent-bash/mcp';
import type { Toolset } from 'agent-bash/tools';
import { onTestFinished } from 'vitest';
import type { Run } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: two versions of an SDK, whose types differ, in one test.
export type Any = any;

/** A client of one version of an SDK, in one era of the protocol. */
export interface Kind {
  name: string;
  /** A client; it answers for a person, if there is one. */
  client(person: Run['person']): Any;
  /** A client that can't ask its user. */
  silent(): Any;
  pair(): [Any, Any];
  stdio(command: object): Any;
  /** The era of the protocol that version 2 requests. */
  mode?: unknown;
}

function clientV1(person: Run['person']): Any {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => answerOf(person) as Any);
  return client;
}

export function clientV2(person: Run['person'], mode: Any): Any {
  const client = new v2.Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', async () => answerOf(person) as Any);
  return client;
}

function answerOf(person: Run['person']): object {
  return person === 'approves' ? { action: 'accept', content: {} } : { action: 'decline' };
}

export const KINDS: Kind[] = [
  {
    name: 'version 1 of the SDK',
    client: (person) => clientV1(person),
    silent: () => new ClientV1({ name: 'test', version: '1' }),
    pair: () => InMemoryV1.createLinkedPair(),
    stdio: (command) => new StdioV1(command as Any),
  },
  ...(['legacy', 'auto', { pin: '2026-07-28' }] as const).map((mode) => ({
    name: `version 2 of the SDK, ${typeof mode === 'string' ? mode : mode.pin}`,
    client: (person: Run['person']) => clientV2(person, mode),
    silent: () => new v2.Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }),
    pair: (): [Any, Any] => InMemoryV2.createLinkedPair(),
    stdio: (command: object) => new StdioV2(command as Any),
    mode,
  })),
];

/** Connects a client to a server for a toolset. */
export async function connected(
  kind: Kind,
  toolset: Toolset,
  person?: Run['person'],
  options: McpOptions = {},
): Promise<Any> {
  const [near, far] = kind.pair();
  const server = createMcpServer(toolset, options);
  await server.connect(far);
  const client = kind.client(person);
  await client.connect(near);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return client;
}

/** The user's answer to a form. */
export type Answering = (params: Any) => object | Promise<object>;

/** Answers the forms of a client by a function, in place of its person. */
export function answerBy(kind: Kind, client: Any, answering: Answering): void {
  const schema = kind.name.includes('version 1') ? ElicitRequestSchema : 'elicitation/create';
  client.setRequestHandler(schema, async ({ params }: Any) => answering(params));
}

/** Returns the content of a result. */
export const textOf = (result: Any): string => result.content.map(({ text }: Any) => text).join('\n');
