// Stand-ins for functions of the addon, for a replay without one: the words of a command as a line, and
// answers that matter only to commands that run.

/** The functions of the addon that have an answer here. A test compares them with the addon's. */
export const ANSWERS: Record<string, (...given: never[]) => unknown> = {
  joinWords: (words: string[]) => words.map((word) => (BARE.test(word) ? word : quoted(word))).join(' '),
  quoteWord: (word: string) => quoted(word),
  sessionShell(program: string | undefined) {
    const shell = program ?? '/bin/bash';
    const name = shell.slice(shell.lastIndexOf('/') + 1);
    const flavor = ['dash', 'ash', 'busybox'].includes(name) ? 'sh' : name;
    if (!['bash', 'zsh', 'sh'].includes(flavor)) return null;
    return { program: shell, flavor, backgroundGraceMs: 1000 };
  },
  // No command gets these variables.
  inheritedEnvironment: (base: string) => base,
  // The lines of text without control sequences.
  PlainLines() {
    let line = '';
    return {
      push(text: string) {
        const all = line + text;
        const end = all.lastIndexOf('\n') + 1;
        line = all.slice(end);
        return all.slice(0, end);
      },
      unfinished: () => line,
    };
  },
  visible: (text: string) => text.replace(HIDDEN, escaped),
  visibleLines: (text: string) => text.replace(HIDDEN, (one) => ('\t\n'.includes(one) ? one : escaped(one))),
  // The cassette has what the sandbox did.
  sandboxMistake: () => null,
};

/** A word that no shell changes. */
const BARE = /^[\w!+,\-./:@\]\u0080-\uffff]+$/;

/** Characters that a person can't see, or takes for a blank. */
const HIDDEN = /[\p{Cc}\s\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** Returns a hidden character as its escape sequence. */
function escaped(character: string): string {
  if (character === ' ') return character;
  const short = ['\t', '\n', '\r'].indexOf(character);
  return short < 0 ? `\\u{${character.codePointAt(0)?.toString(16)}}` : ['\\t', '\\n', '\\r'][short];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the error of what only the addon can do, and no file has. */
export function addonNeeded(what: string, cause?: unknown): Error & { code: string } {
  const message = `ADDON_NEEDED: ${what} needs the addon, and this machine has none.`;
  return Object.assign(new Error(message, { cause }), { code: 'ADDON_NEEDED' });
}
