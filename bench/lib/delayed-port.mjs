// A TCP port whose connections reach another port of this machine, with all bytes delayed.
//
//   node bench/lib/delayed-port.mjs MILLISECONDS PORT
//
// Prints its own port. It takes as much as arrives, so it limits no throughput: what waits for round trips is
// the protocol in it.

import { connect, createServer } from 'node:net';

const [milliseconds, port] = process.argv.slice(2).map(Number);

function delayed(from, to) {
  const later = (work) => setTimeout(work, milliseconds);
  from.on('data', (bytes) => later(() => to.write(bytes)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => later(() => to.destroy()));
  from.on('close', () => later(() => to.destroySoon()));
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  const other = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  delayed(socket, other);
  delayed(other, socket);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
