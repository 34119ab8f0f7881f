# Saves the state after a command, whose `$?` is the argument, if the command was no syntax error. The last
# line of a complete state is the token.
__agent_bash_flags=$-
# Under errexit or nounset, a line of ours could end the shell. Under the options of another shell (ksharrays,
# sh_glob), it would mean something else.
\builtin set +euxv
__agent_bash_options=(${(kv)options[@]})
\builtin emulate -R zsh
[[ $1 = 1 ]] && ! @SHELL@ -f -n @COMMAND@ </dev/null && \builtin return "$1"
