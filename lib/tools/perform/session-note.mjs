// The note for a model about a session whose shell has ended with a command.

/**
 * The note on a shell whose end looks like the success of its command, where the session has the state before
 * that.
 */
const KEPT =
  '[The shell of this session ended with this command. The next command has a new shell, with the state before this one.]';

/** The note on a shell that has taken its state along. */
const LOST =
  '[The shell of this session ended with this command. The next command has a new shell: the directory, variables, functions and jobs are lost.]';

/**
 * Adds the note to the output of an outcome, whose `stdout` is one text with standard error if the streams
 * are merged. An exit code other than 0 says by itself that the command may have changed nothing, where the
 * session keeps the state before it.
 */
function withSessionNote(outcome, { isMerged, hasState }) {
  const { status, exitCode, shellEnded } = outcome;
  const ended = shellEnded && (status === 'exited' || status === 'signaled');
  if (!ended || (hasState && exitCode !== 0)) return outcome;
  const stream = isMerged ? 'stdout' : 'stderr';
  return { ...outcome, [stream]: withLine(outcome[stream], hasState ? KEPT : LOST) };
}

function withLine(text, line) {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

export { withSessionNote };
