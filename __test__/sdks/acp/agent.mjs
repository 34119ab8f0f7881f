// An agent of the Agent Client Protocol at the standard streams: a prompt is a command, which runs in a
// terminal of the client. The first argument is a file that gets the result of each command.

import { writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';
import { clientTerminals } from 'agent-bash/acp';
import { createTools } from 'agent-bash/tools';

const [report] = process.argv.slice(2);
const sessionId = 'session-1';
const toolCallId = 'call-1';
let hasTerminals = false;
let toolset;

const app = agent({ name: 'agent' })
  .onRequest('initialize', ({ params }) => {
    hasTerminals = params.clientCapabilities?.terminal === true;
    return { protocolVersion: 1, agentCapabilities: {} };
  })
  .onRequest('session/new', ({ params, client }) => {
    const terminals = hasTerminals
      ? clientTerminals(client, sessionId, { signal: connection.signal })
      : undefined;
    toolset = createTools('oh-my-pi', { cwd: params.cwd, terminals });
    return { sessionId };
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const command = params.prompt[0].text;
    const tell = (update) => client.notify('session/update', { sessionId, update }).catch(() => {});
    tell({ sessionUpdate: 'tool_call', toolCallId, title: command, kind: 'execute', status: 'in_progress' });
    const onUpdate = ({ terminalId }) => {
      const content = [{ type: 'terminal', terminalId }];
      if (terminalId !== undefined) tell({ sessionUpdate: 'tool_call_update', toolCallId, content });
    };
    const { text, data, run } = await toolset.call('bash', { command }, { onUpdate });
    writeFileSync(report, JSON.stringify({ text, data, status: run.status, error: run.error }));
    await tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    return { stopReason: 'end_turn' };
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
await toolset?.dispose();
