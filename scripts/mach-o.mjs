// Reads what the checks of a binary need from a Mach-O file of 64 bits, and recomputes the hashes of its
// signature. Throws for a file that is damaged.

import { createHash } from 'node:crypto';

const LOAD_COMMANDS = { symbols: 0x2, library: 0xc, id: 0xd, signature: 0x1d, minimum: 0x24, build: 0x32 };
/** A library that may be missing, and one whose symbols this file exports too. */
const FURTHER_LIBRARIES = new Set([0x80000018, 0x8000001f]);

/** The type of a file, after its magic number, its processor and its subtype. */
const KINDS = { 2: 'program', 6: 'library', 8: 'bundle' };

const EMBEDDED_SIGNATURE = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const HASHES = { 1: 'sha1', 2: 'sha256' };
const FLAG_AD_HOC = 0x2;

export function isMachO(bytes) {
  return bytes.length >= 32 && bytes.readUInt32LE(0) === 0xfeedfacf;
}

/**
 * Returns the kind of a Mach-O file, the oldest macOS that loads it, its install name, its libraries, its
 * imports, and its signature (`null` for none).
 */
export function parseMachO(bytes) {
  const parsed = { minimum: null, installName: null, libraries: [], imports: [], signature: null };
  parsed.kind = KINDS[bytes.readUInt32LE(12)] ?? 'other';
  for (const { command, at, end } of loadCommands(bytes)) {
    const word = (index) => bytes.readUInt32LE(at + 4 * index);
    const name = () => textAt(bytes.subarray(0, end), at + word(2));
    if (command === LOAD_COMMANDS.id) parsed.installName = name();
    else if (command === LOAD_COMMANDS.library || FURTHER_LIBRARIES.has(command))
      parsed.libraries.push(name());
    else if (command === LOAD_COMMANDS.minimum) parsed.minimum = versionOf(word(2));
    else if (command === LOAD_COMMANDS.build) parsed.minimum = versionOf(word(3));
    else if (command === LOAD_COMMANDS.symbols) parsed.imports = importsOf(bytes, word(2), word(3), word(4));
    else if (command === LOAD_COMMANDS.signature) parsed.signature = signatureOf(bytes, word(2), word(3));
  }
  return parsed;
}

function* loadCommands(bytes) {
  let at = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left -= 1) {
    const end = at + bytes.readUInt32LE(at + 4);
    if (end < at + 8 || end > 32 + bytes.readUInt32LE(20))
      throw new Error('a load command has a wrong length');
    yield { command: bytes.readUInt32LE(at), at, end };
    at = end;
  }
}

function versionOf(word) {
  return `${word >>> 16}.${(word >>> 8) & 0xff}`;
}

function textAt(bytes, at) {
  const end = bytes.indexOf(0, at);
  if (at > bytes.length || end === -1) throw new Error('a name has no end');
  return bytes.toString('utf8', at, end);
}

/** Returns the undefined external symbols of a table, with the numbers of their libraries, from 1 on. */
function importsOf(bytes, table, count, names) {
  const imports = [];
  for (let at = table; at < table + 16 * count; at += 16) {
    const [type, description] = [bytes.readUInt8(at + 4), bytes.readUInt16LE(at + 6)];
    const isUndefined = (type & 0x0e) === 0 && (type & 0x01) === 1 && (type & 0xe0) === 0;
    if (!isUndefined) continue;
    // C's names have a `_` more.
    const name = textAt(bytes, names + bytes.readUInt32LE(at)).replace(/^_/, '');
    imports.push({ name, library: description >>> 8 });
  }
  return imports;
}

/**
 * Returns the identifier of a signature, whether it is ad hoc, and the numbers of the pages with other
 * hashes.
 */
function signatureOf(bytes, offset, size) {
  const blob = bytes.subarray(offset, offset + size);
  if (blob.length !== size || blob.readUInt32BE(0) !== EMBEDDED_SIGNATURE) {
    throw new Error('the signature is cut off, or none');
  }
  for (let index = 0; index < blob.readUInt32BE(8); index += 1) {
    const directory = blob.subarray(blob.readUInt32BE(16 + 8 * index));
    if (directory.readUInt32BE(0) === CODE_DIRECTORY) return readCodeDirectory(bytes, offset, directory);
  }
  throw new Error('the signature has no code directory');
}

function readCodeDirectory(bytes, signedLength, directory) {
  const [flags, hashes, identifier] = [12, 16, 20].map((at) => directory.readUInt32BE(at));
  const [pages, limit] = [28, 32].map((at) => directory.readUInt32BE(at));
  const [hashSize, pageSize] = [directory.readUInt8(36), 2 ** directory.readUInt8(39)];
  const algorithm = HASHES[directory.readUInt8(37)];
  if (algorithm === undefined) throw new Error('the signature has hashes of an unknown kind');
  if (hashes + pages * hashSize > directory.length) throw new Error('the signature lacks hashes');

  const wrongPages = [];
  for (let page = 0; page < pages; page += 1) {
    const content = bytes.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit));
    const expected = directory.subarray(hashes + page * hashSize, hashes + (page + 1) * hashSize);
    const hash = createHash(algorithm).update(content).digest().subarray(0, hashSize);
    if (!hash.equals(expected)) wrongPages.push(page);
  }
  return {
    identifier: textAt(directory, identifier),
    isAdHoc: (flags & FLAG_AD_HOC) !== 0,
    // A page behind the last hash would be loaded unchecked.
    coversFile: limit === signedLength && pages === Math.ceil(limit / pageSize),
    pages,
    wrongPages,
  };
}
