// The scripts by which a fresh shell restores the state of the one before it, and saves its own for the next.
//
// The paths are in a private directory and have no characters that are special to a shell. A state is
// complete if its last line is the token. If a shell ends before it writes that line, its state is ignored
// and the earlier state stays.

import { quoteWord } from '../addon/native.ts';

/** The language of a shell. */
export type Flavor = 'bash' | 'zsh' | 'sh';

/** What the scripts need of a flavor. */
interface Shell {
  flags: string[];
  first: () => string;
  restore: (path: string) => string;
  run: (path: string) => string;
  isSyntaxError: (shell: string, path: string) => string;
  status: string;
  show: (command: string) => string;
  printf: string;
  prepare: string;
  dump: string;
}

/** What a shell runs: paths, and the state that it restores first. */
interface Files {
  state: string | null;
  command: string;
  end: string;
}

/** Variables of bash that describe the shell itself, or whose values change when they are read. */
const BASH_OWN =
  '_|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|' +
  'BASH_EXECUTION_STRING|BASH_LINENO|BASH_REMATCH|BASH_SOURCE|BASH_SUBSHELL|BASH_VERSINFO|BASH_VERSION|' +
  'COMP_WORDBREAKS|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|HISTCMD|HOSTTYPE|LINENO|' +
  'MACHTYPE|OPTERR|OSTYPE|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|' +
  '__agent_bash_name|__agent_bash_names|__agent_bash_flags|__agent_bash_last';

const ZSH_OWN =
  "__agent_bash_name|__agent_bash_flags|__agent_bash_options|__agent_bash_value|_|'!'|'?'|'#'|'*'|'@'|" +
  "-|'$'|[0-9]*|PWD|OLDPWD|SHLVL|RANDOM|SECONDS|UID|EUID|GID|EGID";

const SHELLS: Record<Flavor, Shell> = {
  bash: {
    flags: ['--norc', '--noprofile', '-c'],
    first: () => '\\builtin shopt -s expand_aliases\n',
    restore: (path) => `for __agent_bash_name in $(\\builtin compgen -e); do \
\\builtin unset "$__agent_bash_name"; done 2>/dev/null
\\builtin unset __agent_bash_name
\\builtin . ${path} 2>/dev/null\n`,
    run: (path) => `\\builtin . ${path}`,
    // Before bash 5, the status of a syntax error is 1.
    isSyntaxError: (shell, path) =>
      `[[ $1 = 2 || $BASH_VERSINFO -lt 5 && $1 = 1 ]] && ! ${shell} -O extglob -n ${path}`,
    status: '"$1"',
    show: showFirstLine,
    printf: '\\builtin printf',
    // A trap on DEBUG or ERR could write into the state.
    prepare: '\\builtin trap - DEBUG ERR RETURN\n',
    // `set +o` comes first: in bash 3.2, its line `set +o posix` also changes options of `shopt`.
    dump: `\\builtin shopt -q nocasematch && \\builtin shopt -u nocasematch && __agent_bash_flags+=N
\\builtin printf 'builtin cd -- %q || builtin cd -- .\\nbuiltin export PWD\\n' "$PWD"
\\builtin umask -p
IFS=$'\\n' \\builtin read -r -d '' -a __agent_bash_names <<<"$(\\builtin compgen -v)"
for __agent_bash_name in "\${__agent_bash_names[@]}"; do case $__agent_bash_name in
${BASH_OWN}) ;; *) \\builtin declare -p "$__agent_bash_name";; esac; done
\\builtin declare -f
\\builtin declare -Fx
\\builtin alias -p
\\builtin set +o
\\builtin shopt -p
case $__agent_bash_flags in *N*) \\builtin printf 'builtin shopt -s nocasematch\\n';; esac`,
  },
  zsh: {
    flags: ['-f', '-c'],
    // The state of the login shell, which bash reads by itself.
    first: () =>
      `if [[ -n \${BASH_ENV-} ]]; then \\builtin . $BASH_ENV 2>/dev/null; \\builtin unset BASH_ENV; fi\n`,
    restore: (path) => `for __agent_bash_name in \${(k)parameters[(R)*export*]}; do \
\\builtin unset $__agent_bash_name; done 2>/dev/null
\\builtin unset __agent_bash_name
\\builtin . ${path} 2>/dev/null\n`,
    run: (path) => `\\builtin eval "$(<${path})"`,
    isSyntaxError: (shell, path) => `[[ $1 = 1 ]] && ! ${shell} -f -n ${path}`,
    status: '"$1"',
    // zsh shows no text of \`eval\`.
    show: (command) => command,
    printf: '\\builtin printf',
    // Under the options of another shell (ksharrays, sh_glob), the script would mean something else.
    prepare: '__agent_bash_options=(${(kv)options[@]})\n\\builtin emulate -R zsh\n',
    // Only a `cd` sets the directory of `cd -`.
    dump: `\\builtin print -r -- "builtin cd -q -- \${(q)OLDPWD}"
\\builtin print -r -- "builtin cd -q -- \${(q)PWD}"
\\builtin print -r -- "umask $(\\builtin umask)"
for __agent_bash_name in \${(k)parameters}; do case $__agent_bash_name in ${ZSH_OWN}) ;; *)
case \${parameters[$__agent_bash_name]}:$__agent_bash_name in *readonly*special*) ;;
*special*:IFS|*special*:fpath|*special*:cdpath|*special*:WORDCHARS|*export*) \
\\builtin typeset -p $__agent_bash_name;;
*special*) ;; *) \\builtin typeset -p $__agent_bash_name;; esac;; esac; done
\\builtin functions
\\builtin print 'builtin unalias -a'
\\builtin alias -L
\\builtin alias -sL
for __agent_bash_name __agent_bash_value in "\${__agent_bash_options[@]}"; do case $__agent_bash_name in
interactive|monitor|shinstdin|singlecommand|privileged|restricted|zle|login|rcs|globalrcs) ;;
*) [[ $__agent_bash_value = on ]] && \\builtin print "builtin setopt $__agent_bash_name" ||
\\builtin print "builtin unsetopt $__agent_bash_name";; esac; done`,
  },
  sh: {
    flags: ['-c'],
    first: () => '',
    restore: (
      path,
    ) => `for __agent_bash_name in $(env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do
unset "$__agent_bash_name"; done 2>/dev/null
unset __agent_bash_name
command . ${path} 2>/dev/null\n`,
    run: (path) => `command . ${path}`,
    isSyntaxError: (shell, path) => `[ "$__agent_bash_status" = 2 ] && ! ${shell} -n ${path}`,
    status: '"$__agent_bash_status"',
    show: showFirstLine,
    printf: 'command printf',
    prepare: '',
    // `set` prints variables as quoted lines that the shell can read again. Any other part of the state
    // differs between the shells that are called sh.
    dump: `command printf 'cd -- %s || cd -P -- .\\nexport PWD\\n' \
"$(command printf '%s\\n' "$PWD" | PATH=$PATH:/usr/bin:/bin sed "s/'/'\\\\\\\\''/g; 1s/^/'/; \\$s/\\$/'/")"
command printf 'umask %s\\n' "$(umask)"
(unset _ LINENO PPID PWD OLDPWD SHLVL __agent_bash_status __agent_bash_flags; set)
(unset PWD; export -p)
readonly -p
alias | PATH=$PATH:/usr/bin:/bin sed 's/^alias //; s/^/alias /'
set +o`,
  },
};

/**
 * Returns the arguments of a shell that runs a command in this state, which is `null` for the first command.
 * The shell has read the last line before the command may switch on traces, and the script at the end
 * switches them off.
 */
function words(kind: Flavor, { state, command, end }: Files): string[] {
  const { flags, first, restore, run } = SHELLS[kind];
  const begin = state === null ? first() : restore(state);
  const dot = kind === 'sh' ? 'command .' : '\\builtin .';
  const exit = kind === 'sh' ? 'exit' : '\\builtin exit';
  return [...flags, `${begin}${run(command)}; { ${dot} ${end} "$?"; } 2>/dev/null; ${exit} "$?"\n`];
}

/**
 * Returns the text for the file of a command: in a shell that traces (`x`, `v`), it switches that on in its
 * first line.
 */
function commandText(kind: Flavor, command: string, tracing: string): string {
  const { show, printf } = SHELLS[kind];
  const set = kind === 'sh' ? 'set' : '\\builtin set';
  const shown = tracing.includes('v') ? `${printf} '%s\\n' ${quoteWord(show(command))} >&2; ${set} -v; ` : '';
  return shown + (tracing.includes('x') ? `${set} -x; ` : '') + command;
}

/** Returns the first line, which a shell has read before it begins to show its input (`-v`). */
function showFirstLine(command: string): string {
  return command.split('\n', 1)[0];
}

/** Returns the script that the shell runs after the command: it saves the state. */
function endScript(
  kind: Flavor,
  { shell, command, next, token }: { shell: string; command: string; next: string; token: number },
): string {
  const { isSyntaxError, printf, prepare, dump, status } = SHELLS[kind];
  const begin = kind === 'sh' ? '__agent_bash_status=$?\n' : '';
  const set = kind === 'sh' ? 'set' : '\\builtin set';
  const end = kind === 'sh' ? 'return' : '\\builtin return';
  const isChecked = /^[\w./+-]+$/.test(shell);
  const check = isChecked ? `${isSyntaxError(shell, command)} </dev/null && ${end} ${status}\n` : '';
  // Under errexit or nounset, a line of ours could end the shell.
  return `${begin}__agent_bash_flags=$-
${set} +euxv
${prepare}${check}{ ${dump}
case $__agent_bash_flags in *e*) ${printf} 'set -e\\n';; esac
case $__agent_bash_flags in *u*) ${printf} 'set -u\\n';; esac
${printf} '# complete ${token}\\n'; } >${next} </dev/null
${printf} '%s' "$PWD" >${next}-cwd
${printf} '%s' "$__agent_bash_flags" >${next}-flags
${end} ${status}\n`;
}

/**
 * Returns the script by which a kept bash (`keep: 'process'`) saves its state in files, whose paths `file`
 * gives for their names; in a new shell, the script restores the state that the shell before it has saved. It
 * runs as a command of the session, with `$?` as its argument, and leaves `$?` as it was.
 *
 * The file `current` names the complete state, and the shell that it belongs to: by the file of the session
 * from which the shell reads its commands, since all shells in sandboxes have the same pid. The shell writes
 * a state beside the one before it, so that a shell that ends meanwhile leaves the earlier one.
 */
function saveScript(file: (name: string) => string): string {
  const { restore, dump } = SHELLS.bash;
  return `{ __agent_bash_flags=$-
\\builtin set +eux
__agent_bash_last=
[[ -e ${file('current')} ]] && \\builtin read -r __agent_bash_last <${file('current')}
if [[ -n $__agent_bash_last && \${__agent_bash_last#* } != "\${BASH_SOURCE[1]}" ]]; then
\\builtin printf '%s %s\\n' "\${__agent_bash_last% *}" "\${BASH_SOURCE[1]}" >|${file('current')}
${restore(file('"${__agent_bash_last% *}"'))}else
case $__agent_bash_last in a*) __agent_bash_last=b;; *) __agent_bash_last=a;; esac
{ ${dump}
case $__agent_bash_flags in *e*) \\builtin printf 'set -e\\n';; esac
case $__agent_bash_flags in *u*) \\builtin printf 'set -u\\n';; esac
case $__agent_bash_flags in *x*) \\builtin printf 'set -x\\n';; esac; } >|${file('$__agent_bash_last')} &&
\\builtin printf '%s %s\\n' $__agent_bash_last "\${BASH_SOURCE[1]}" >|${file('current')}
case $__agent_bash_flags in *N*) \\builtin shopt -s nocasematch;; esac
case $__agent_bash_flags in *e*) \\builtin set -e;; esac
case $__agent_bash_flags in *u*) \\builtin set -u;; esac
case $__agent_bash_flags in *x*) \\builtin set -x;; esac
fi
\\builtin unset __agent_bash_name __agent_bash_names __agent_bash_flags __agent_bash_last
} 2>/dev/null
\\builtin return "$1"
`;
}

export { commandText, endScript, saveScript, words };
