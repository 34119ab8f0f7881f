// Prints what publint says of a packed package.
import { readFileSync } from 'node:fs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const { buffer, byteOffset, byteLength } = readFileSync(process.argv[2]);
const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
console.log(JSON.stringify(messages.map((message) => formatMessage(message, pkg, { color: false }))));
