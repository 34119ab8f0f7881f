// The output of commands as text or as bytes.

import type { EndEvent, NativeResult, Piece } from '../addon/addon-types.ts';
import type { JobOutput } from '../job/api.ts';
import type { ByteChunk, Encoding, TextChunk } from './output-api.ts';

/** Returns the bytes of a Node.js buffer as the plain `Uint8Array` that users get. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the native result of an event, with the bytes of its streams if the output stays bytes. */
function nativeResult({ result, bytes }: EndEvent): NativeResult {
  return bytes === undefined ? result : Object.assign(result, { bytes });
}

/** Returns the bytes of both streams of a native result; none of a command that did not run. */
function bytesOfStreams({ bytes }: NativeResult): { stdout: Uint8Array; stderr: Uint8Array } {
  if (bytes === undefined) return { stdout: new Uint8Array(), stderr: new Uint8Array() };
  return { stdout: bytesOf(bytes.stdout), stderr: bytesOf(bytes.stderr) };
}

/** Joins arrays of bytes; copies nothing if only one of them has any. */
function joinedBytes(parts: Uint8Array[]): Uint8Array {
  const filled = parts.filter(({ length }) => length > 0);
  if (filled.length < 2) return filled[0] ?? new Uint8Array();
  return bytesOf(Buffer.concat(filled));
}

/** Converts a piece of the addon's latest output to the `JobOutput` of index.d.ts. */
function jobOutput({ chunks, cursor, dropped }: Piece, hasBytes: boolean): JobOutput<Encoding> {
  if (!hasBytes) {
    const texts = chunks as TextChunk[];
    return { text: texts.map(({ text }) => text).join(''), chunks: texts, cursor, dropped };
  }
  const own = (chunks as ByteChunk[]).map(({ stream, data }) => ({ stream, data: bytesOf(data) }));
  return { data: joinedBytes(own.map(({ data }) => data)), chunks: own, cursor, dropped };
}

export { bytesOf, bytesOfStreams, jobOutput, joinedBytes, nativeResult };
