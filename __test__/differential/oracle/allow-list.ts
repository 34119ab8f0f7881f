const ANY_ARGUMENTS = ['git', 'grep', 'rg', 'find', 'ls', 'cat', 'head', 'tail', 'wc', 'pytest'];
const WITH_SUBCOMMAND = ['swift test', 'xcodebuild test', 'npm test'];

/**
 * Whether safe mode lets these words run. A prefix is compared as joined text, so the one word `swift test`
 * counts as the two words `swift` and `test` do; three words that begin with it do not.
 */
export function allowed(argv: string[]): boolean {
  return ANY_ARGUMENTS.includes(argv[0]) || WITH_SUBCOMMAND.includes(argv.slice(0, 2).join(' '));
}
