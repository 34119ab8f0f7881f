// The errors of a shell that reads a command from a file of agent-bash: with the names that the shell gives
// for `-c`.

/** The file with a command, or one of the scripts beside it, in the private directory of a session. */
const FILE = '(?:/[^\\s/:\'"`]+)*/agent-bash\\.\\d+\\.[0-9a-f]+/(?:command|end|keep|next|a|b)(?:-\\d+)?';

/**
 * An error of bash: of a shell that is interactive, with its name; of another one, with the file in its
 * place.
 */
const OF_BASH = new RegExp(`(\\S*: )?${FILE}: (line \\d+: )(syntax error|unexpected |\`)?`, 'g');

/** An error of dash. */
const OF_SH = new RegExp(`(\\S+: \\d+: )${FILE}: `, 'g');

/**
 * Returns a text in which errors name the shell and not the file. `shell` is the name of one that is not
 * interactive.
 */
function withoutFileNames(text, shell = 'bash') {
  if (!text.includes('/agent-bash.')) return text;
  return text
    .replace(OF_BASH, (_, name = `${shell}: `, line, parser = '') =>
      parser ? `${name}-c: ${line}${parser}` : name + line,
    )
    .replace(OF_SH, '$1');
}

/** Changes the texts of the addon's result accordingly. */
function withoutFileNamesIn(native, shell) {
  native.stdout = withoutFileNames(native.stdout, shell);
  native.stderr = withoutFileNames(native.stderr, shell);
  if (native.view !== undefined)
    native.view = { ...native.view, text: withoutFileNames(native.view.text, shell) };
}

export { withoutFileNames, withoutFileNamesIn };
