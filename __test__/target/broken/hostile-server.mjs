// A server that answers the script as our helper does, and then does what it must not:
// node hostile-server.mjs MODE.

import { writeSync } from 'node:fs';
import { CHECK, counted, frame, number, VERSION } from '../wire.mjs';

const [mode] = process.argv.slice(2);
/** The kinds of frames. */
const [MESSAGE, HELLO, STDOUT, PORT, PORT_DATA] = [1, 2, 6, 9, 10];
/** The messages of a supervisor, by their positions in `ToClient`. */
const [STARTED, EXIT, PIDS, CREDIT, PONG, FATAL, GONE] = [0, 4, 5, 6, 8, 9, 11];

const message = (position, command, ...fields) =>
  frame(MESSAGE, command, Buffer.concat([number(position), ...fields]));

/** The start of the first command, without a working directory. */
const started = () => message(STARTED, 1, number(1), number(0));

function hello(nonce, hash, { version = VERSION, lowest = version, facts = '' } = {}) {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt16LE(version, 0);
  numbers.writeUInt16LE(lowest, 2);
  numbers.writeUInt32LE(process.pid, 4);
  const lines = Buffer.from(`nonce=${nonce}\n${facts}`);
  return frame(HELLO, 0, Buffer.concat([CHECK, numbers, hash, Buffer.alloc(8), lines]));
}

function send(...frames) {
  const bytes = Buffer.concat(frames);
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(1, bytes, sent);
    } catch (error) {
      if (error.code !== 'EAGAIN') process.exit(0);
    }
  }
}

/** Frames instead of a hello, or after it. */
const answers = {
  'an older version': (nonce, hash) => [hello(nonce, hash, { version: 0 })],
  'a newer version': (nonce, hash) => [hello(nonce, hash, { version: 9 })],
  'another hash': (nonce) => [hello(nonce, Buffer.alloc(32, 7))],
  'another nonce': (_, hash) => [hello('0'.repeat(16), hash)],
  'half a hello': (nonce, hash) => [hello(nonce, hash).subarray(0, 40)],
  'a hello that is too long': (nonce, hash) => [hello(nonce, hash, { facts: `a=${'b'.repeat(5_000)}\n` })],
  'no hello first': () => [message(PONG, 0, number(0))],
  'a hello twice': (nonce, hash) => [hello(nonce, hash), hello(nonce, hash)],
  'an unknown command': (nonce, hash) => [hello(nonce, hash), frame(STDOUT, 7, Buffer.from('x'))],
  'an unknown type': (nonce, hash) => [hello(nonce, hash), frame(99, 1)],
  'a frame that is too long': (nonce, hash) => [
    hello(nonce, hash),
    Buffer.from('01000100060000000100000001', 'hex'),
  ],
  'a spare byte': (nonce, hash) => [hello(nonce, hash), frame(MESSAGE, 0, Buffer.from([PONG, 0]), 1)],
  'control characters': (nonce, hash) => [
    hello(nonce, hash),
    message(FATAL, 0, counted(Buffer.from('\x1b[2J\x07bell'))),
  ],
  silence: (nonce, hash) => [hello(nonce, hash)],
};

/** Answers to a command that is to start, once its first frames have come. */
const commands = {
  'output beyond the credit': function* () {
    yield started();
    for (;;) yield frame(STDOUT, 1, Buffer.alloc(65_536, 'x'));
  },
  'a start twice': () => [started(), started()],
  'an exit that is cut off': () => [started(), message(EXIT, 1, Buffer.alloc(5))],
  'lists that nobody has asked for': function* () {
    for (let count = 0; count < 1_000; count++) yield message(PIDS, 1, counted(Buffer.alloc(13_000)));
    yield message(CREDIT, 1, number(2 ** 32 - 1));
    yield message(CREDIT, 1, number(2 ** 32 - 1));
    yield message(GONE, 1);
    yield frame(99, 1);
  },
};

/** The messages about a port, by their positions in `PortMessage`. */
const [CONNECT, ACCEPTED, PORT_CREDIT] = [0, 3, 4];

const port = (position, id, ...fields) => frame(PORT, id, Buffer.concat([number(position), ...fields]));

/** The frames that follow the first connection of a port, by mode. */
const ports = {
  'bytes of a port beyond the credit': function* () {
    for (;;) yield frame(PORT_DATA, 1, Buffer.alloc(65_536, 'x'));
  },
  'bytes of an unknown port': () => [frame(PORT_DATA, 9, Buffer.from('x'))],
  'a connection at no listener': () => [port(ACCEPTED, 2 ** 31, number(9))],
  'a connection with a used id': () => [port(ACCEPTED, 7, number(1))],
  'a request to connect here': () => [port(CONNECT, 1, number(0), counted(Buffer.from('::1')), number(22))],
  'half a message of a port': () => [port(PORT_CREDIT, 1)],
};

let said = '';
let greeted = false;
process.stdin.on('end', () => process.exit(0));
process.stdin.on('data', (bytes) => {
  const before = said.length;
  said += bytes.toString('latin1');
  const end = said.indexOf('\n');
  if (end < 0) return;
  const nonce = /; n=([0-9a-f]{16});/.exec(said)?.[1];
  const hash = Buffer.from(/h=([0-9a-f]{64})/.exec(said)?.[1] ?? '', 'hex');
  if (!greeted) {
    greeted = true;
    send(
      Buffer.from(`\nagent-bash ${nonce} have\n`),
      ...(answers[mode]?.(nonce, hash) ?? [hello(nonce, hash)]),
    );
  }
  // The first message to a supervisor, about the first command.
  if (mode in ports) {
    const connect = frame(PORT, 1).subarray(4).toString('latin1');
    if (said.includes(connect, end) && !said.slice(0, before).includes(connect, end))
      for (const piece of ports[mode]()) send(piece);
    return;
  }
  const start = message(0, 1).toString('latin1');
  if (mode in commands && said.includes(start, end) && !said.slice(0, before).includes(start, end))
    for (const piece of commands[mode]()) send(piece);
});
