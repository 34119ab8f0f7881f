# Prints the state of zsh between two markers: three texts for each part, with a NUL after each.
__agent_bash_options=("${(@kv)options}")
\builtin emulate -R zsh
\builtin print -rN -- @MARKER@
for __agent_bash_name __agent_bash_value in "${(@)__agent_bash_options}"; do
[[ $__agent_bash_value = on ]] && __agent_bash_value=setopt || __agent_bash_value=unsetopt
\builtin print -rN -- option $__agent_bash_name "$__agent_bash_value $__agent_bash_name"; done
for __agent_bash_name in ${(k)parameters}; do case ${parameters[$__agent_bash_name]} in
*special*|*readonly*|*export*|*hide*|*tied*|*local*) ;; *)
\builtin print -rN -- variable $__agent_bash_name "$(\builtin typeset -p $__agent_bash_name)";; esac; done
for __agent_bash_name in ${(k)functions}; do \builtin print -rN -- function $__agent_bash_name \
"${(q)__agent_bash_name} () {"$'\n'"${functions[$__agent_bash_name]}"$'\n'"}"; done
for __agent_bash_name in ${(k)aliases}; do \builtin print -rN -- alias $__agent_bash_name \
"alias -- ${(q)__agent_bash_name}=${(q)aliases[$__agent_bash_name]}"; done
for __agent_bash_name in ${(k)galiases} ${(k)saliases}; do
\builtin print -rN -- other $__agent_bash_name ''; done
\builtin print -rN -- @MARKER@
