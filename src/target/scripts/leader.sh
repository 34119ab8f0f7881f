# The leader, which waits for the host and then executes the command. One word in single quotes.
ab_n=$1;
shift;
@SAY@
ab_no() { ab_say failed $* >&3; exit; };
ab_g=;
kill -0 -$$ && ab_g=group;
ab_say ready;
ab_say ready $$ $ab_g >&3;
read -r ab_x || exit;
exec 2>&3;
@STDIN@;
eval "$@SURROUNDINGS@";
ab_x=`command -v "$1"` || {
  case $1 in */*) [ ! -e "$1" ] || ab_no program denied;; esac;
  ab_no program missing;
};
case $ab_x in
  */*) [ -x "$ab_x" ] && [ ! -d "$ab_x" ] || ab_no program denied;;
esac;
ab_x=`pwd -P`;
case $ab_x in *\\*|*[[:cntrl:]]*) ab_x=;; esac;
ab_say started "$ab_x" >&3;
@MERGE@
exec 3>&- "$@"
