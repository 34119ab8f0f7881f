const STREAMED = 'output comes from the loop over jobs.start(), or to onUpdate of execute() of a tool';

/**
 * Options of execa, `child_process` and similar libraries that this package does not have, each with its
 * replacement. A name in quotes is an option of `run()` and of `Jobs.start()`.
 */
const HINTS: Readonly<Record<string, string>> = {
  abortSignal: "use 'signal'",
  all: "use 'output.merge'",
  argv0: 'run a shell with `exec -a`',
  buffer: "use 'output.maxBytes'",
  cancelSignal: "use 'signal'",
  cleanup: 'use onHostExit of new Jobs()',
  dir: "use 'cwd'",
  directory: "use 'cwd'",
  detached: 'each command has a session of its own; to outlive Node, use onHostExit of new Jobs()',
  execPath: 'give an array with the path of the program',
  gid: 'run setpriv or sudo',
  gracefulCancel: "use 'signal' and 'killSignal'",
  inputFile: "use 'input', or `<` of the shell",
  ipc: "there is no channel; use 'input'",
  ipcInput: "there is no channel; use 'input'",
  lines: 'split the text of the result',
  localDir: "use 'env' to set PATH",
  maxBuffer: "use 'output.maxBytes'",
  node: 'give an array that begins with process.execPath',
  nodeOptions: 'give an array that begins with process.execPath',
  nodePath: 'give an array that begins with the path of Node',
  nothrow: "use 'reject'",
  onChunk: STREAMED,
  onData: STREAMED,
  onOutput: STREAMED,
  onStderr: STREAMED,
  onStdout: STREAMED,
  preferLocal: "use 'env' to set PATH",
  serialization: "there is no channel; use 'input'",
  stderr: "the result has both streams; see 'output'",
  stdin: "use 'input'",
  stdio: "use 'input' and 'output'",
  stdout: "the result has both streams; see 'output'",
  stripFinalNewline: 'text is as it was written; use trimEnd()',
  throwOnError: "use 'reject'",
  uid: 'run setpriv or sudo',
  verbose: 'print the command yourself',
  workdir: "use 'cwd'",
  workingDir: "use 'cwd'",
  workingDirectory: "use 'cwd'",
  windowsHide: 'leave it out: no command opens a window',
  windowsVerbatimArguments: 'leave it out: each argument is quoted',
};

/**
 * Returns the replacement of a foreign option; `undefined` if it names an option that is not `known`. A known
 * `output` has all of its options, a known `output.view` only that one.
 */
function hintFor(key: string, known: readonly string[]): string | undefined {
  if (!Object.hasOwn(HINTS, key)) return undefined;
  const named = [...HINTS[key].matchAll(/'((\w+)[\w.]*)'/g)];
  const isKnown = ([, name = '', first = '']: RegExpExecArray) =>
    known.includes(first) || known.includes(name);
  return named.every(isKnown) ? HINTS[key] : undefined;
}

export { HINTS, hintFor };
