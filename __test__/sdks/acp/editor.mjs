// An editor that starts an agent of the Agent Client Protocol as a process, offers it terminals, and sends it
// a prompt. The arguments: the file for the agent's report, and the directory of the session; the prompt is
// in the environment, where no search for its processes finds it. Prints what it sees, as lines of JSON.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { client, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { terminalHandlers } from 'agent-bash/acp';

const [report, cwd] = process.argv.slice(2);
const text = process.env.PROMPT;
const print = (value) => console.log(JSON.stringify(value));

const program = fileURLToPath(new URL('agent.mjs', import.meta.url));
const child = spawn(process.execPath, [program, report], { stdio: ['pipe', 'pipe', 'inherit'] });
const onTerminal = ({ terminalId }) => print({ opened: terminalId });
const terminals = terminalHandlers({ root: cwd, RequestError, onTerminal });
const app = client({ name: 'editor' });
for (const [method, handler] of Object.entries(terminals.requests)) app.onRequest(method, handler);
// A connection that closes drops notifications that the SDK has not handled: the last one is awaited.
const answered = new Promise((resolve) => {
  app.onNotification('session/update', ({ params }) => {
    print(params);
    if (params.update.sessionUpdate === 'agent_message_chunk') resolve();
  });
});

const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
print({ agent: child.pid });
connection.closed.then(async () => {
  await terminals.dispose();
  print({ open: terminals.list().length });
});
try {
  await connection.agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { terminal: true },
  });
  const { sessionId } = await connection.agent.request('session/new', { cwd, mcpServers: [] });
  print(await connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }));
  await answered;
  connection.close();
  child.stdin.end();
} catch (error) {
  print({ error: error.message });
}
if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
print({ exitCode: child.exitCode, signal: child.signalCode });
