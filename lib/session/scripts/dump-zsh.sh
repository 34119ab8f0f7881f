# Prints the state of zsh, as commands that restore it. `$__agent_bash_options` has the options of the
# commands. Only a `cd` sets the directory of `cd -`. The program that asks a person is another one for each
# command.
\builtin print -r -- "builtin cd -q -- ${(q)OLDPWD}"
\builtin print -r -- "builtin cd -q -- ${(q)PWD}"
\builtin print -r -- "umask $(\builtin umask)"
for __agent_bash_name in ${(k)parameters}; do case $__agent_bash_name in
__agent_bash_name|__agent_bash_flags|__agent_bash_options|__agent_bash_value|_|'!'|'?'|'#'|'*'|'@'|\
-|'$'|[0-9]*|PWD|OLDPWD|SHLVL|RANDOM|SECONDS|UID|EUID|GID|EGID) ;; *_ASKPASS)
[[ ${(P)__agent_bash_name} = */agent-bash-askpass ]] || \builtin typeset -p $__agent_bash_name;; *)
case ${parameters[$__agent_bash_name]}:$__agent_bash_name in *readonly*special*) ;;
*special*:IFS|*special*:fpath|*special*:cdpath|*special*:WORDCHARS|*export*)
\builtin typeset -p $__agent_bash_name;;
*special*) ;; *) \builtin typeset -p $__agent_bash_name;; esac;; esac; done
\builtin functions
\builtin print 'builtin unalias -a'
\builtin alias -L
\builtin alias -sL
for __agent_bash_name __agent_bash_value in "${__agent_bash_options[@]}"; do case $__agent_bash_name in
interactive|monitor|shinstdin|singlecommand|privileged|restricted|zle|login|rcs|globalrcs) ;;
*) [[ $__agent_bash_value = on ]] && \builtin print "builtin setopt $__agent_bash_name" ||
\builtin print "builtin unsetopt $__agent_bash_name";; esac; done
