# Runs one command without a helper. `degraded/script.rs` has the picture.
{
  ab_n=@NONCE@;
  @SAY@
  # `head` of busybox reads ahead, so the host sends nothing behind a text before it is taken.
  ab_take() { head -c $1 || dd bs=1 count=$1; };
  ab_c=`ab_take @TEXT@ <&4`;
  case $ab_c in *"$ab_n") ;; *) exit;; esac;
  @INPUT@
  # The signaller.
  {
    trap "" HUP INT TERM PIPE;
    read -r ab_p <&4 || exit;
    echo;
    echo $ab_p;
    while read -r ab_k <&4; do
      [ "$ab_k" != @BYE@ ] || exit;
      kill -$ab_k $ab_p;
      [ "$ab_k" != @KILL@ ] || exit;
    done;
    kill -KILL $ab_p;
  # The starter.
  } 3>&- | {
    exec 4<&-;
    eval "$ab_c";
    export @SURROUNDINGS@;
    ab_g=`command -v setsid` || set -m;
    $ab_g sh -c '@LEADER@' sh $ab_n "$@";
    ab_s=$?;
    # Tells whether a process of the group is left. A zombie does not count: in a container, perhaps no
    # process reaps it. Without `ps`, it counts.
    ab_left() {
      kill -0 $ab_p && {
        ab_x=`ps -A -o pgid= -o stat=` || return 0;
        echo "$ab_x" | grep -q "^ *${ab_p#-}  *[^Z ]" || [ $? != 1 ];
      };
    };
    ab_l=;
    read -r ab_p && ab_left && ab_l=left;
    ab_say exit $ab_s $ab_l;
    ab_say exit $ab_s $ab_l >&3;
    [ ! "$ab_l" ] || {
      while ab_left; do sleep 0.05 || sleep 1; done;
      ab_say gone;
      ab_say gone >&3;
    };
  }
  @END@;
} 3>&2 2>/dev/null 4<&0 </dev/null
