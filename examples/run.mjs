// run(): a command, and its result as an object.
import { CommandError, run } from '../index.js';

// A shell reads the command. A failed command is a result like any other.
const { exitCode, stdout, stderr } = await run('echo to stdout; echo to stderr >&2; exit 3');
console.log({ exitCode, stdout, stderr });

// An array is a program and its arguments: nothing has to be quoted.
const words = await run(['printf', '%s\n', 'a b', '$HOME', '*'], { reject: true });
console.log(words.stdout.trimEnd());

// A time limit. All processes of the command are gone when run() answers.
const slow = await run('echo begun; sleep 60', { timeout: 1_000 });
console.log(`${slow.status} by ${slow.signal}: ${slow.stdout.trimEnd()}`);

// Long output: the beginning, the end, and how much is missing in between.
const long = await run('seq 1 1000', { output: { maxBytes: 20 } });
console.log(long.output.trimEnd());

// With `reject`, a failed command rejects with an error that has the result.
try {
  await run('echo no luck >&2; exit 1', { reject: true });
} catch (error) {
  if (error instanceof CommandError) console.log(error.message, error.result.exitCode);
}
