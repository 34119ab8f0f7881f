# Saves the state after a command, if the command was no syntax error. The last line of a complete state is
# the token.
__agent_bash_status=$?
__agent_bash_flags=$-
# Under errexit or nounset, a line of ours could end the shell.
set +euxv
[ "$__agent_bash_status" = 2 ] && ! @SHELL@ -n @COMMAND@ </dev/null && return "$__agent_bash_status"
{ @DUMP@
case $__agent_bash_flags in *e*) command printf 'set -e\n';; esac
case $__agent_bash_flags in *u*) command printf 'set -u\n';; esac
command printf '# complete @TOKEN@\n'; } >@NEXT@ </dev/null
command printf '%s' @PWD@ >@NEXT@-cwd
command printf '%s' "$__agent_bash_flags" >@NEXT@-flags
return "$__agent_bash_status"
