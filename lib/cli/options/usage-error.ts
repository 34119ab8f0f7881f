/** An invalid command line. The message names the option and the expected value. */
class UsageError extends Error {
  /** The subcommand whose help the message suggests. */
  command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

export { UsageError };
