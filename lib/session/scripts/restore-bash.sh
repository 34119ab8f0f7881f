# Restores the state in a file: the variables that the host has exported, and that are gone since, go first.
# The program that asks a person is the one of this command.
for __agent_bash_name in $(\builtin compgen -e); do case ${!__agent_bash_name-} in
*/agent-bash-askpass) ;; *) \builtin unset "$__agent_bash_name";; esac; done 2>/dev/null
\builtin unset __agent_bash_name
\builtin . @STATE@ 2>/dev/null
