# Saves the state after a command, whose `$?` is the argument, if the command was no syntax error. The last
# line of a complete state is the token.
__agent_bash_flags=$-
# Under errexit or nounset, a line of ours could end the shell. A trap on DEBUG or ERR could write into the
# state.
\builtin set +euxv
\builtin trap - DEBUG ERR RETURN
# Before bash 5, the status of a syntax error is 1.
[[ $1 = 2 || $BASH_VERSINFO -lt 5 && $1 = 1 ]] && ! @SHELL@ -O extglob -n @COMMAND@ </dev/null && \builtin return "$1"
