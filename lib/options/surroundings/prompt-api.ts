// Prompts: a person answers when a program of a command asks for a password, a name or a confirmation.

/** A question of a program, which {@link Surroundings.onPrompt} answers. */
export interface Prompt {
  /**
   * The kind of answer: `'confirm'` takes `yes` or `no`, `'text'` is a user name, and anything else may be a
   * secret (`'password'`). It follows from the text, and from what `ssh` says of it.
   */
  kind: 'password' | 'text' | 'confirm';
  /**
   * The first 1,024 bytes of the program's text, in which control characters and others that can't be seen
   * are escape sequences such as `\u{1b}`; line breaks and tabs stay. The command can have chosen it: show it
   * as a quotation, with `program` and `command` beside it.
   */
  text: string;
  /**
   * The path of the program that asks, or the name of its process where only root may read that path; on one
   * line, with escape sequences as in `text`.
   */
  program: string;
  /**
   * Whether the program is known to be `sudo` with root's rights, which alone reads the answer. False for
   * each program that the command controls, and therefore for `ssh` and `git`, and wherever Node.js runs as
   * root.
   */
  verified: boolean;
  /** The command, in which secret values are marks. */
  command: string;
  /**
   * Fires when no answer is needed any more: after 120 seconds, when the program is gone, and when the
   * command ends. What is answered later is ignored.
   */
  signal: AbortSignal;
}

/**
 * Answers a prompt by one line of at most 1,024 bytes; `null` declines. A function that throws or rejects
 * declines too, and the process emits a warning (`PROMPT_FAILED`), unless `signal` has fired.
 */
export type OnPrompt = (prompt: Prompt) => string | null | Promise<string | null>;
