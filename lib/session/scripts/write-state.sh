# Writes the state of a bash or zsh, which its own script has prepared, and keeps the status of the command.
{ @DUMP@
case $__agent_bash_flags in *e*) \builtin printf 'set -e\n';; esac
case $__agent_bash_flags in *u*) \builtin printf 'set -u\n';; esac
\builtin printf '# complete @TOKEN@\n'; } >@NEXT@ </dev/null
\builtin printf '%s' @PWD@ >@NEXT@-cwd
\builtin printf '%s' "$__agent_bash_flags" >@NEXT@-flags
\builtin return "$1"
