# Restores the state in a file: the variables that the host has exported, and that are gone since, go first.
# The program that asks a person is the one of this command.
for __agent_bash_name in ${(k)parameters[(R)*export*]}; do
[[ $__agent_bash_name = *_ASKPASS && ${(P)__agent_bash_name} = */agent-bash-askpass ]] ||
\builtin unset $__agent_bash_name; done 2>/dev/null
\builtin unset __agent_bash_name
\builtin . @STATE@ 2>/dev/null
