# Restores the state in a file: the variables that the host has exported, and that are gone since, go first.
# The program that asks a person is the one of this command.
for __agent_bash_name in $(env | sed -n '/agent-bash-askpass$/d; s/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
unset "$__agent_bash_name"; done 2>/dev/null
unset __agent_bash_name
command . @STATE@ 2>/dev/null
