# Begins on a target: chooses the helper of the machine. A broken pipe must not kill the shell between the
# creation and the removal of a file. The quotes in the marker keep an echo of the script from looking like a
# marker.
m=`umask`;
umask 77;
trap "" HUP PIPE;
n=@NONCE@;
say() { echo; echo "agent-""bash $n $*"; };
[ -t 0 ] || [ -t 1 ] && { say terminal; exit 0; };
u=`uname -sm`;
h=;
case $u in @MACHINES@esac;
[ "$h" ] || { say none $u; exit 0; };
