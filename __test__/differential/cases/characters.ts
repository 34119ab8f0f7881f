import { bytes, type Case } from './case.js';

const SEQUENCES: Array<[string, number[]]> = [
  ['a lone continuation byte', [0x80]],
  ['the last continuation byte', [0xbf]],
  ['five continuation bytes', [0x80, 0x81, 0x90, 0xa0, 0xbf]],
  ['a two-byte sequence cut short', [0xc3]],
  ['a three-byte sequence cut after one byte', [0xe2]],
  ['a three-byte sequence cut after two bytes', [0xe2, 0x82]],
  ['a four-byte sequence cut after one byte', [0xf0]],
  ['a four-byte sequence cut after two bytes', [0xf0, 0x9f]],
  ['a four-byte sequence cut after three bytes', [0xf0, 0x9f, 0x98]],
  ['an overlong slash in two bytes', [0xc0, 0xaf]],
  ['an overlong A in two bytes', [0xc1, 0x81]],
  ['an overlong NUL in two bytes', [0xc0, 0x80]],
  ['an overlong slash in three bytes', [0xe0, 0x80, 0xaf]],
  ['the largest overlong in three bytes', [0xe0, 0x9f, 0xbf]],
  ['an overlong slash in four bytes', [0xf0, 0x80, 0x80, 0xaf]],
  ['the largest overlong in four bytes', [0xf0, 0x8f, 0xbf, 0xbf]],
  ['the first surrogate', [0xed, 0xa0, 0x80]],
  ['the last surrogate', [0xed, 0xbf, 0xbf]],
  ['a surrogate pair in six bytes', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
  ['the character before the surrogates', [0xed, 0x9f, 0xbf]],
  ['the character behind the surrogates', [0xee, 0x80, 0x80]],
  ['the byte 0xFE', [0xfe]],
  ['the byte 0xFF', [0xff]],
  ['the byte order marks of UTF-16', [0xfe, 0xff, 0xff, 0xfe]],
  ['the last code point', [0xf4, 0x8f, 0xbf, 0xbf]],
  ['one code point too many', [0xf4, 0x90, 0x80, 0x80]],
  ['a lead byte above the last code point', [0xf5, 0x80, 0x80, 0x80]],
  ['the lead byte 0xF7', [0xf7, 0xbf, 0xbf, 0xbf]],
  ['a five-byte sequence', [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ['a six-byte sequence', [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80]],
  ['a lead byte before a lead byte', [0xe2, 0xe2, 0x82, 0xac]],
  ['a sequence that an ASCII character interrupts', [0xf0, 0x9f, 0x41, 0x80]],
  ['a sequence that a newline interrupts', [0xe2, 0x82, 0x0a, 0xac]],
  ['a non-character', [0xef, 0xbf, 0xbf]],
  ['a replacement character', [0xef, 0xbf, 0xbd]],
  ['Latin-1 text', [0x63, 0x61, 0x66, 0xe9, 0x20, 0xfc, 0x62, 0x65, 0x72]],
  ['every byte once', Array.from({ length: 256 }, (_, byte) => byte)],
  ['every byte once, downwards', Array.from({ length: 256 }, (_, byte) => 255 - byte)],
];

/** Each sequence within text, at the end of stdout, and split over the two streams: they never join. */
const placed: Case[] = SEQUENCES.flatMap(([label, sequence]) => {
  const raw = Buffer.from(sequence);
  const within = Buffer.concat([Buffer.from('a'), raw, Buffer.from('b')]);
  return [
    bytes(`${label} within text`, within, within),
    bytes(`${label} alone on stdout`, raw),
    bytes(
      `${label} at the end of stdout, continuation bytes on stderr`,
      raw,
      Buffer.from([0x82, 0xac, 0x80]),
    ),
  ];
});

export const characters = [
  ...placed,
  bytes('a character split over the streams is not joined', Buffer.from([0xe2]), Buffer.from([0x82, 0xac])),
  bytes('stderr of one invalid byte alone', '', Buffer.from([0xff])),
  bytes('valid text of every plane', 'A é € 😀 \u{10ffff} \u{e000} \u{fffe}'),
];
