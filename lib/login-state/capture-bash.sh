# Prints the state of bash between two markers: three texts for each part, with a NUL after each.
__agent_bash_options="$(\builtin set +o)
$(\builtin shopt -p)"
\builtin set +eux -f
# A line break ends each name: neither names of functions nor of aliases have any.
IFS=$'\n'
\builtin printf '%s\0' @MARKER@
for __agent_bash_name in $__agent_bash_options; do
\builtin printf '%s\0' option "${__agent_bash_name##* }" "$__agent_bash_name"; done
for __agent_bash_name in $(\builtin compgen -v); do
\builtin printf '%s\0' variable "$__agent_bash_name" "$(\builtin declare -p "$__agent_bash_name" 2>/dev/null)"; done
for __agent_bash_name in $(\builtin compgen -A function); do
\builtin printf '%s\0' function "$__agent_bash_name" "$(\builtin declare -f "$__agent_bash_name")"; done
for __agent_bash_name in $(\builtin compgen -a); do
\builtin printf '%s\0' alias "$__agent_bash_name" "$(\builtin alias "$__agent_bash_name")"; done
\builtin printf '%s\0' @MARKER@
