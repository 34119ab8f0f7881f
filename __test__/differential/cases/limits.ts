import { bytes, type Case, command, put, safe } from './case.js';

const LIMIT = 102_400;
const x = (count: number): string => 'x'.repeat(count);
const y = (count: number): string => 'y'.repeat(count);

const around: Case[] = [-2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((offset) => {
  const size = LIMIT + offset;
  return [
    bytes(`${size} bytes on stdout`, x(size)),
    bytes(`${size} bytes on stderr`, '', x(size)),
    bytes(`${size} bytes on stdout and one on stderr`, x(size), 'y'),
    bytes(`one byte on stdout and ${size} on stderr`, 'x', y(size)),
    bytes(`${size} bytes in both streams, the newline between them counted`, x(50_000), y(size - 50_001)),
  ];
});

const ff = (count: number): Uint8Array => new Uint8Array(count).fill(0xff);

export const limits = [
  ...around,
  bytes('both streams at the limit', x(LIMIT), y(LIMIT)),
  bytes('both streams far over the limit', x(300_000), y(300_000)),
  bytes('stdout at the limit ends with a newline', `${x(LIMIT - 1)}\n`, 'y'),
  bytes('stdout of newlines only', '\n'.repeat(LIMIT + 1)),
  bytes('NUL bytes at the limit', '\0'.repeat(LIMIT), '\0'),
  // Three bytes of text for each byte of output: 34,133 fill 102,399.
  bytes('invalid bytes that just fit', ff(34_133)),
  bytes('invalid bytes and one more that just fit', Buffer.concat([ff(34_133), Buffer.from('x')])),
  bytes('one invalid byte too many', ff(34_134)),
  bytes('invalid bytes on stderr, one too many', '', ff(34_134)),
  bytes('invalid bytes on both streams that just fit', ff(17_066), ff(17_067)),
  bytes('invalid bytes on both streams, one too many', ff(17_067), ff(17_067)),
  bytes('invalid bytes as many as the limit', ff(LIMIT)),
  bytes('invalid bytes far over the limit', ff(400_000), ff(400_000)),
  bytes(
    'a truncated sequence as the last byte at the limit',
    Buffer.concat([Buffer.from(x(LIMIT - 1)), Buffer.from([0xe2])]),
  ),
  bytes(
    'a truncated sequence that fits at the end',
    Buffer.concat([Buffer.from(x(LIMIT - 3)), Buffer.from([0xe2, 0x82])]),
  ),
  bytes(
    'a truncated sequence of three that fits',
    Buffer.concat([Buffer.from(x(LIMIT - 3)), Buffer.from([0xf0, 0x9f, 0x98])]),
  ),
  bytes('a byte order mark and the limit', `\ufeff${x(LIMIT - 3)}`),
  bytes('a byte order mark that is one byte too much', `\ufeff${x(LIMIT - 2)}`),
  bytes('one and a half megabytes on stdout', Buffer.alloc(1_500_000, 'lorem ipsum '), 'end'),
  bytes('one and a half megabytes on stderr', 'start', Buffer.alloc(1_500_000, 'dolor sit ')),
  command('the exit code follows the marker', "head -c 200000 /dev/zero | tr '\\0' x; exit 7"),
  command('a signal follows the marker', "head -c 200000 /dev/zero | tr '\\0' x; kill -9 $$"),
  command('many lines on both streams at once', '(seq 1 60000 >&2) & seq 1 60000; wait'),
  command('output after the limit is drained', 'head -c 4000000 /dev/zero; echo done >&2; exit 5'),
  command('stderr over the limit while stdout waits', "head -c 1500000 /dev/zero | tr '\\0' e >&2; echo out"),
  command(
    'output in small pieces over the limit',
    'i=0; while [ $i -lt 2500 ]; do echo "line $i: some words to make it longer than it is"; i=$((i+1)); done',
  ),
  command('a limited reader ends an endless writer', 'yes | head -c 500000'),
  safe('a large file in safe mode', 'cat big', { setup: (dir) => put(dir, 'big', x(250_000)) }),
  safe('a large output in safe mode', 'head -c 2000000 /dev/zero'),
  safe('a large output with errors in safe mode', 'head -c 300000 /dev/zero missing-file'),
];
