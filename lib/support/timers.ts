// Node.js's own timers, as they were when the package was loaded. Commands run in real time: under the fake timers
// of a test, a wait for one would never end.

export const setTimeout: typeof globalThis.setTimeout = globalThis.setTimeout;
export const clearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout;
export const setInterval: typeof globalThis.setInterval = globalThis.setInterval;
export const clearInterval: typeof globalThis.clearInterval = globalThis.clearInterval;
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate;
