// bash(): one command, and its answer as one text for a model.
import { bash } from '../index.js';

console.log(await bash({ command: 'echo to stdout; echo to stderr >&2; exit 3' }, '/'));

// Safe mode starts only programs of its list, without a shell.
console.log(await bash({ command: 'wc -c /dev/null' }, '/', true));
console.log(await bash({ command: 'rm -r build' }, '/', true));

// bash() never rejects: a failed launch is an answer too.
console.log(await bash({ command: 'true' }, '/no/such/directory'));
