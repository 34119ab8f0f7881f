# Saves the state of a kept bash (`keep: 'process'`) in a file; in a new shell, restores the state that the
# shell before it has saved. Runs as a command of the session, with `$?` as its argument, and leaves `$?` as
# it was.
#
# The file `current` names the complete state, and the shell that it belongs to: by the file of the session
# from which the shell reads its commands, since all shells in sandboxes have the same pid. The shell writes a
# state beside the one before it, so that a shell that ends meanwhile leaves the earlier one.
{ __agent_bash_flags=$-
\builtin set +eux
__agent_bash_last=
[[ -e @CURRENT@ ]] && \builtin read -r __agent_bash_last <@CURRENT@
if [[ -n $__agent_bash_last && ${__agent_bash_last#* } != "${BASH_SOURCE[1]}" ]]; then
\builtin printf '%s %s\n' "${__agent_bash_last% *}" "${BASH_SOURCE[1]}" >|@CURRENT@
@RESTORE@
else
case $__agent_bash_last in a*) __agent_bash_last=b;; *) __agent_bash_last=a;; esac
{ @DUMP@
case $__agent_bash_flags in *e*) \builtin printf 'set -e\n';; esac
case $__agent_bash_flags in *u*) \builtin printf 'set -u\n';; esac
case $__agent_bash_flags in *x*) \builtin printf 'set -x\n';; esac; } >|@LAST@ &&
\builtin printf '%s %s\n' $__agent_bash_last "${BASH_SOURCE[1]}" >|@CURRENT@
case $__agent_bash_flags in *N*) \builtin shopt -s nocasematch;; esac
case $__agent_bash_flags in *e*) \builtin set -e;; esac
case $__agent_bash_flags in *u*) \builtin set -u;; esac
case $__agent_bash_flags in *x*) \builtin set -x;; esac
fi
\builtin unset __agent_bash_name __agent_bash_names __agent_bash_flags __agent_bash_last
} 2>/dev/null
\builtin return "$1"
