// The scripts by which a shell prints its state, and by which a fresh shell reads it.
//
// Each part of a state is three texts with a NUL after each: its kind, its name, and its definition.

import { quoteWord } from '../addon/native.ts';

/** A shell whose state can be read. */
export type StateFlavor = 'bash' | 'zsh';

/** A part of a shell's state. */
export interface StateEntry {
  kind: 'option' | 'variable' | 'function' | 'alias' | 'other';
  name: string;
  /** The text by which a shell defines it again. */
  text: string;
}

interface Flavored {
  /** The flags of a shell at a terminal without start files, which has what the shell itself sets. */
  clean: string[];
  /** The flags of a shell without start files that reads a file. */
  fresh: string[];
  dump: (marker: string) => string;
  /** The first and the last lines of a state. */
  first: string;
  last: string;
  /** The options that count for commands, and do not change how a policy has to read them. */
  options: RegExp;
}

const FLAVORS: Record<StateFlavor, Flavored> = {
  bash: {
    clean: ['--norc', '--noprofile', '-ic'],
    fresh: ['--norc', '--noprofile'],
    // A line break ends each name: neither names of functions nor of aliases have any.
    dump: (marker) => `__agent_bash_options="$(\\builtin set +o)
$(\\builtin shopt -p)"
\\builtin set +eux -f
IFS=$'\\n'
\\builtin printf '%s\\0' ${marker}
for __agent_bash_name in $__agent_bash_options; do
\\builtin printf '%s\\0' option "\${__agent_bash_name##* }" "$__agent_bash_name"; done
for __agent_bash_name in $(\\builtin compgen -v); do
\\builtin printf '%s\\0' variable "$__agent_bash_name" "$(\\builtin declare -p "$__agent_bash_name" 2>/dev/null)"; done
for __agent_bash_name in $(\\builtin compgen -A function); do
\\builtin printf '%s\\0' function "$__agent_bash_name" "$(\\builtin declare -f "$__agent_bash_name")"; done
for __agent_bash_name in $(\\builtin compgen -a); do
\\builtin printf '%s\\0' alias "$__agent_bash_name" "$(\\builtin alias "$__agent_bash_name")"; done
\\builtin printf '%s\\0' ${marker}`,
    first: '\\builtin unset BASH_ENV\n',
    last: '\\builtin shopt -s expand_aliases\n',
    options: /^(?:extglob|globstar|nullglob|dotglob|failglob|nocaseglob|nocasematch|noclobber|pipefail)$/,
  },
  zsh: {
    clean: ['-f', '-ic'],
    fresh: ['-f'],
    dump: (marker) => `__agent_bash_options=("\${(@kv)options}")
\\builtin emulate -R zsh
\\builtin print -rN -- ${marker}
for __agent_bash_name __agent_bash_value in "\${(@)__agent_bash_options}"; do
[[ $__agent_bash_value = on ]] && __agent_bash_value=setopt || __agent_bash_value=unsetopt
\\builtin print -rN -- option $__agent_bash_name "$__agent_bash_value $__agent_bash_name"; done
for __agent_bash_name in \${(k)parameters}; do case \${parameters[$__agent_bash_name]} in
*special*|*readonly*|*export*|*hide*|*tied*|*local*) ;; *)
\\builtin print -rN -- variable $__agent_bash_name "$(\\builtin typeset -p $__agent_bash_name)";; esac; done
for __agent_bash_name in \${(k)functions}; do \\builtin print -rN -- function $__agent_bash_name \
"\${(q)__agent_bash_name} () {"$'\\n'"\${functions[$__agent_bash_name]}"$'\\n'"}"; done
for __agent_bash_name in \${(k)aliases}; do \\builtin print -rN -- alias $__agent_bash_name \
"alias -- \${(q)__agent_bash_name}=\${(q)aliases[$__agent_bash_name]}"; done
for __agent_bash_name in \${(k)galiases} \${(k)saliases}; do
\\builtin print -rN -- other $__agent_bash_name ''; done
\\builtin print -rN -- ${marker}`,
    first: '',
    last: '',
    options:
      /^(?:extendedglob|nullglob|globdots|nocaseglob|caseglob|nomatch|numericglobsort|shwordsplit|ksharrays|clobber|pipefail|autopushd|pushdignoredups)$/,
  },
};

/** Returns the text by which a fresh shell reads each part apart, and reports which of them it has read. */
function checkScript(entries: readonly StateEntry[], marker: string): string {
  const report = (text: string) => `\\builtin printf '\\0%s\\0' ${text}\n`;
  const parts = entries.map(
    ({ text }, index) =>
      `${report(String(index))}{ \\builtin eval ${quoteWord(text)} || \\builtin printf failed; } 2>&1\n`,
  );
  return `${parts.join('')}${report(marker)}`;
}

/** Returns the parts that a shell has printed between two markers; `null` if they are not complete. */
function entriesIn(stdout: string, marker: string): StateEntry[] | null {
  const begin = stdout.indexOf(`${marker}\0`);
  const end = stdout.indexOf(`\0${marker}\0`, begin);
  if (begin === -1 || end === -1) return null;
  const fields = stdout.slice(begin + marker.length + 1, end).split('\0');
  const entries: StateEntry[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [kind, name, text] = fields.slice(index, index + 3);
    entries.push({ kind: kind as StateEntry['kind'], name, text });
  }
  return entries;
}

export { checkScript, entriesIn, FLAVORS };
