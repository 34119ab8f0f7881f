// The frames of a supervisor, for servers of tests that answer as our helper does.

import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** The bytes by which both ends find out that the transport changes none. */
export const CHECK = Buffer.from('agent-bash\r\n\0\xff\x1a\n', 'latin1');

const PROTOCOL = new URL('../../src/helper/supervisor/protocol/mod.rs', import.meta.url);
/** The version of the protocol, as the source of the helper has it. */
export const VERSION = Number(/pub const VERSION: u16 = (\d+);/.exec(readFileSync(PROTOCOL, 'utf8'))[1]);

/** Returns a frame: its header of 12 bytes, and the payload. */
export function frame(type, command, payload = Buffer.alloc(0), spare = 0) {
  const header = Buffer.alloc(12);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt8(type, 4);
  header.writeUInt8(spare, 5);
  header.writeUInt32LE(command, 8);
  return Buffer.concat([header, payload]);
}

/** Returns a number as postcard encodes it: seven bits in a byte, the lowest ones first. */
export function number(value) {
  const bytes = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}

/** Returns bytes behind their length. */
export const counted = (bytes) => Buffer.concat([number(bytes.length), bytes]);
