/**
 * Returns a signal that aborts at the first Ctrl-C, or when the reader of the output has ended; its reason is
 * the name of the signal. A second Ctrl-C ends this process.
 */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => controller.abort('SIGPIPE'));
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort(signal));
  return controller.signal;
}

export { interrupted };
