/**
 * Returns a command with a program that asks, as git does, and is ended once a file exists. It prints the
 * program's exit code: 143.
 */
export function endedOnce(file: string, question: string): string {
  const wait = `until [ -e ${file} ]; do sleep 0.1; done`;
  return `"$GIT_ASKPASS" '${question}' & ${wait}; kill $!; wait $!; echo "is $?"`;
}
