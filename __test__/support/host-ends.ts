/** Ends of a Node.js process: the last line of its program, and the signal that the test sends. */
export const HOST_ENDS = [
  ['by SIGKILL', 'setInterval(() => {}, 1_000);', 'SIGKILL'],
  ['by process.exit()', 'process.exit(0);', undefined],
  ['by an uncaught error', "setImmediate(() => { throw new Error('uncaught'); });", undefined],
] as const;
