// A server that answers the script as our helper does, and then does what it must not:
// node hostile-server.mjs MODE.

import { readFileSync, writeSync } from 'node:fs';

const [mode] = process.argv.slice(2);
const CHECK = Buffer.from('agent-bash\r\n\0\xff\x1a\n', 'latin1');
const PROTOCOL = new URL('../../../src/process/supervise/protocol/mod.rs', import.meta.url);
const VERSION = Number(/pub const VERSION: u16 = (\d+);/.exec(readFileSync(PROTOCOL, 'utf8'))[1]);
/** The types of frames. */
const [HELLO, STARTED, STDOUT, EXIT, PIDS, CREDIT, PONG, FATAL, GONE] = [
  129, 130, 132, 135, 136, 137, 139, 140, 141,
];

function frame(type, command, payload = Buffer.alloc(0), spare = 0) {
  const header = Buffer.alloc(12);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt8(type, 4);
  header.writeUInt8(spare, 5);
  header.writeUInt32LE(command, 8);
  return Buffer.concat([header, payload]);
}

function number(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

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

/** What is sent instead of a hello, or after it. */
const answers = {
  'an older version': (nonce, hash) => [hello(nonce, hash, { version: 0 })],
  'a newer version': (nonce, hash) => [hello(nonce, hash, { version: 9 })],
  'another hash': (nonce) => [hello(nonce, Buffer.alloc(32, 7))],
  'another nonce': (_, hash) => [hello('0'.repeat(16), hash)],
  'half a hello': (nonce, hash) => [hello(nonce, hash).subarray(0, 40)],
  'a hello that is too long': (nonce, hash) => [hello(nonce, hash, { facts: `a=${'b'.repeat(5_000)}\n` })],
  'no hello first': () => [frame(PONG, 0)],
  'a hello twice': (nonce, hash) => [hello(nonce, hash), hello(nonce, hash)],
  'an unknown command': (nonce, hash) => [hello(nonce, hash), frame(STDOUT, 7, Buffer.from('x'))],
  'an unknown type': (nonce, hash) => [hello(nonce, hash), frame(99, 1)],
  'a frame that is too long': (nonce, hash) => [
    hello(nonce, hash),
    Buffer.from('01000100840000000100000001', 'hex'),
  ],
  'a spare byte': (nonce, hash) => [hello(nonce, hash), frame(PONG, 0, undefined, 1)],
  'control characters': (nonce, hash) => [
    hello(nonce, hash),
    frame(FATAL, 0, Buffer.from('\x1b[2J\x07bell')),
  ],
  silence: (nonce, hash) => [hello(nonce, hash)],
};

/** What is sent to a command that is to start, once its first frames have come. */
const commands = {
  'output beyond the credit': function* () {
    yield frame(STARTED, 1, number(1));
    for (;;) yield frame(STDOUT, 1, Buffer.alloc(65_536, 'x'));
  },
  'a start twice': () => [frame(STARTED, 1, number(1)), frame(STARTED, 1, number(1))],
  'an exit that is cut off': () => [frame(STARTED, 1, number(1)), frame(EXIT, 1, Buffer.alloc(5))],
  'lists that nobody has asked for': function* () {
    for (let count = 0; count < 1_000; count++) yield frame(PIDS, 1, Buffer.alloc(64_000));
    yield frame(CREDIT, 1, number(2 ** 32 - 1));
    yield frame(CREDIT, 1, number(2 ** 32 - 1));
    yield frame(GONE, 1);
    yield frame(99, 1);
  },
};

let said = '';
let greeted = false;
process.stdin.on('end', () => process.exit(0));
process.stdin.on('data', (bytes) => {
  const before = said.length;
  said += bytes.toString('latin1');
  const end = said.indexOf('\n');
  if (end < 0) return;
  const nonce = /;n=([0-9a-f]{16});/.exec(said)?.[1];
  const hash = Buffer.from(/h=([0-9a-f]{64})/.exec(said)?.[1] ?? '', 'hex');
  if (!greeted) {
    greeted = true;
    send(
      Buffer.from(`\nagent-bash ${nonce} have\n`),
      ...(answers[mode]?.(nonce, hash) ?? [hello(nonce, hash)]),
    );
  }
  // A start (type 3) of the first command.
  const start = Buffer.from([0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]).toString('latin1');
  if (mode in commands && said.includes(start, end) && !said.slice(0, before).includes(start, end))
    for (const piece of commands[mode]()) send(piece);
});
