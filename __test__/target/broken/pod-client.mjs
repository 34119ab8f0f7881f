// Carries its streams to a process that a server starts, as `kubectl exec -i` does: node pod-client.mjs
// SOCKET WORD… Its input has no end for that process, and it exits with 0 whatever has happened.

import { connect } from 'node:net';

const [path, ...words] = process.argv.slice(2);
const socket = connect(path, () => {
  socket.write(`${JSON.stringify(words)}\n`);
  process.stdin.on('data', (bytes) => socket.write(bytes)).on('end', () => {});
  socket.pipe(process.stdout);
});
const end = () => process.exit(0);
socket.on('error', end).on('close', end);
process.stdout.on('error', end);
