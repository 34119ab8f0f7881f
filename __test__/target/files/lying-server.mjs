// A server that answers the script as our helper does, and lies about its files:
// node lying-server.mjs TYPE:NAME… -- WORD…. These are the entries of every directory; all files have `evil`.

import { writeSync } from 'node:fs';
import { CHECK, counted, frame, number, VERSION } from '../wire.mjs';

const words = process.argv.slice(2);
const entries = words.slice(0, words.indexOf('--')).map((entry) => entry.split(':'));
/** The kinds of frames. */
const [MESSAGE, HELLO, STDIN, STDOUT] = [1, 2, 4, 6];
/** The requests, by their positions in `Request`, and the answers that they get, in `Answer`. */
const [STAT, READ, , LIST] = [0, 1, 2, 3];
const [FOUND, DATA, LISTED] = [3, 4, 6];
/** The kinds of files. */
const KINDS = { file: 0, directory: 1, link: 2 };
const CONTENT = Buffer.from('evil');

function stat(kind) {
  const size = kind === 'file' ? CONTENT.length : 0;
  const time = [0, 0];
  const numbers = [KINDS[kind], 0o777, size, 8, 1, 1, 1, 0, 0, ...time, ...time, ...time];
  return Buffer.concat(numbers.map(number));
}

function list() {
  const described = entries.map(([kind, name, to]) =>
    Buffer.concat([
      counted(Buffer.from(name)),
      stat(kind),
      kind === 'link' ? Buffer.concat([number(1), counted(Buffer.from(to))]) : number(0),
    ]),
  );
  return Buffer.concat([number(LISTED), number(entries.length), ...described, number(0)]);
}

let lists = 0;

/** Answers a request of the copy. */
function answer(request) {
  const kind = request[0];
  if (kind === STAT) return Buffer.concat([number(FOUND), stat('directory')]);
  if (kind === READ) return Buffer.concat([number(DATA), stat('file'), counted(CONTENT)]);
  // The same entries below each directory, without an end.
  if (kind === LIST && lists++ < 50) return list();
  process.exit(0);
}

const send = (...frames) => frames.forEach((bytes) => writeSync(1, bytes));

let said = Buffer.alloc(0);
let input = Buffer.alloc(0);
let isGreeted = false;

function takeInput(command, bytes) {
  input = Buffer.concat([input, bytes]);
  while (input.length >= 4 && input.length >= 4 + input.readUInt32LE(0)) {
    const end = 4 + input.readUInt32LE(0);
    const payload = answer(input.subarray(4, end));
    input = input.subarray(end);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(payload.length);
    send(frame(STDOUT, command, Buffer.concat([length, payload])));
  }
}

process.stdin.on('end', () => process.exit(0));
process.stdin.on('data', (bytes) => {
  said = Buffer.concat([said, bytes]);
  if (!isGreeted) {
    const end = said.indexOf('\n');
    if (end < 0) return;
    const script = said.subarray(0, end).toString('latin1');
    const nonce = /; n=([0-9a-f]{16});/.exec(script)?.[1];
    const hash = Buffer.from(/h=([0-9a-f]{64})/.exec(script)?.[1] ?? '', 'hex');
    const numbers = Buffer.alloc(8);
    numbers.writeUInt16LE(VERSION, 0);
    numbers.writeUInt16LE(VERSION, 2);
    const facts = Buffer.from(`nonce=${nonce}\n`);
    const hello = Buffer.concat([CHECK, numbers, hash, Buffer.alloc(8), facts]);
    send(Buffer.from(`\nagent-bash ${nonce} have\n`), frame(HELLO, 0, hello));
    isGreeted = true;
    said = said.subarray(end + 1);
  }
  while (said.length >= 12 && said.length >= 12 + said.readUInt32LE(0)) {
    const [length, type, command] = [said.readUInt32LE(0), said[4], said.readUInt32LE(8)];
    const payload = said.subarray(12, 12 + length);
    said = said.subarray(12 + length);
    // The first message to a supervisor starts a command.
    if (type === MESSAGE && command > 0 && payload[0] === 0) {
      send(frame(MESSAGE, command, Buffer.concat([number(0), number(1), number(0)])));
    }
    if (type === STDIN) takeInput(command, payload);
  }
});
