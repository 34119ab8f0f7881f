// One command, one answer: the text that a model reads.
import { bash } from '../index.js';

console.log(await bash({ command: 'echo to stdout; echo to stderr >&2; exit 3' }, '/'));

// Safe mode starts a program of its list, without a shell, and refuses any other.
console.log(await bash({ command: 'wc -c /dev/null' }, '/', true));
console.log(await bash({ command: 'rm -r build' }, '/', true));

// Nothing rejects: a launch that fails is an answer, too.
console.log(await bash({ command: 'true' }, '/no/such/directory'));
