// Files with output are on this machine. Tells a model so whose commands run on a target.

/** The end of a view's last line, with the command that reads a file. */
const COMMAND = /; lines A to B: sed -n 'A,Bp' [^\n]*\]$/;

/** Removes that command from an outcome, since it would run on the target. */
function withoutCommand(outcome) {
  if (!outcome.hasView) return outcome;
  return { ...outcome, stdout: outcome.stdout.replace(COMMAND, ']') };
}

/** Returns an answer with a note on the file that it names. A text in JSON has no place for one. */
function withPlace(result, { file }, { hasOutputTool }) {
  const isNamed = file !== undefined && file !== null && result.text.includes(file.path);
  if (!isNamed || result.text.startsWith('{')) return result;
  const reader = hasOutputTool ? '; bash_output reads it' : '';
  const note = `[${file.path} is on the machine of this tool, where no command runs${reader}]`;
  return Object.assign(result, { text: `${result.text}\n${note}` });
}

export { withoutCommand, withPlace };
