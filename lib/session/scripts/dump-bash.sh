# Prints the state of bash, as commands that restore it. `$__agent_bash_flags` is `$-` of the commands.
\builtin shopt -q nocasematch && \builtin shopt -u nocasematch && __agent_bash_flags+=N
\builtin printf 'builtin cd -- %q || builtin cd -- .\nbuiltin export PWD\n' "$PWD"
\builtin umask -p
IFS=$'\n' \builtin read -r -d '' -a __agent_bash_names <<<"$(\builtin compgen -v)"
# Not the variables that describe the shell itself, or whose values change when they are read. The program
# that asks a person is another one for each command.
for __agent_bash_name in "${__agent_bash_names[@]}"; do case $__agent_bash_name in
_|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|\
BASH_EXECUTION_STRING|BASH_LINENO|BASH_REMATCH|BASH_SOURCE|BASH_SUBSHELL|BASH_VERSINFO|BASH_VERSION|\
COMP_WORDBREAKS|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|HISTCMD|HOSTTYPE|LINENO|\
MACHTYPE|OPTERR|OSTYPE|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|\
__agent_bash_name|__agent_bash_names|__agent_bash_flags|__agent_bash_last) ;;
*) case ${!__agent_bash_name-} in */agent-bash-askpass) ;; *) \builtin declare -p "$__agent_bash_name";; esac
esac; done
\builtin declare -f
\builtin declare -Fx
\builtin alias -p
# `set +o` comes first: in bash 3.2, its line `set +o posix` also changes options of `shopt`.
\builtin set +o
\builtin shopt -p
case $__agent_bash_flags in *N*) \builtin printf 'builtin shopt -s nocasematch\n';; esac
