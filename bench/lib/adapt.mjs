// The common part of the adapters in peers/. Each exports
//
//   run(command)              -> a promise of all of its output, as one string
//   start(command, onChunk)   -> { done, kill() }; onChunk hears the output as strings
//   lines(command, onLine)    -> a promise of the end; only where the library has a loop over lines

/** Returns a promise of the end that never rejects: a killed command rejects in some libraries. */
export function settled(promise) {
  return Promise.resolve(promise).then(
    () => {},
    () => {},
  );
}

export async function takeLines(iterable, onLine) {
  for await (const line of iterable) onLine(line);
}
