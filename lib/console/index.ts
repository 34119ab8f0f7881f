// The console: a person at a command that runs in a terminal. Read in this order: console, typed-keys,
// attach, painter, held-terminal.

export { attach } from './attach.ts';
export { Console } from './console.ts';
