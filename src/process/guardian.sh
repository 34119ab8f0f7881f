# Waits until the host is gone, then kills what its jobs have left.
#
# Standard input is a pipe whose only writer is the host: its end is the host's end, however it came about.
# Descriptor 3 is the host's table of live jobs, a line each: the number of the process that leads the job's
# session and group, and its start time, which tells it from a stranger that has the number now.
set -f
while read -r _; do :; done

listed=' '
while read -r pid start; do
  [ -n "$pid" ] && listed="$listed$pid:$start "
done <&3
[ "$listed" = ' ' ] && exit 0

# Sets `rows`: pid:parent:group:session:start for every living process but this one.
read_table() {
  rows=
  [ -e /proc/self/stat ] || {
    # Without /proc (macOS) the session and the start time are not to be had.
    for row in $(ps -A -o pid= -o ppid= -o pgid= | while read -r pid parent group; do
      echo "$pid:$parent:$group:0:?"
    done); do rows="$rows $row"; done
    return
  }
  set +f
  stats=$(echo /proc/[0-9]*/stat)
  set -f
  for stat in $stats; do
    line=
    # A program's name may hold a line break.
    { while read -r part || [ -n "$part" ]; do line="$line $part"; done < "$stat"; } 2>/dev/null
    pid=${stat#/proc/}
    pid=${pid%/stat}
    set -- ${line##*) }
    case ${1:-Z} in Z | X) continue ;; esac
    [ "$pid" = $$ ] || rows="$rows $pid:$2:$3:$4:${20}"
  done
}

# Sets `roots`: the listed numbers that no stranger has now.
choose_roots() {
  roots=' '
  for entry in $listed; do roots="$roots${entry%%:*} "; done
  for row in $rows; do
    pid=${row%%:*}
    start=${row##*:}
    case $listed in
      *" $pid:$start "*) ;;
      *" $pid:"*) [ "$start" = '?' ] || roots="${roots%% $pid *} ${roots#* $pid }" ;;
    esac
  done
}

# Sets `ours`: the members of the listed groups and sessions, and all their descendants.
find_ours() {
  ours=' '
  grown=yes
  while [ -n "$grown" ]; do
    grown=
    for row in $rows; do
      pid=${row%%:*} rest=${row#*:}
      parent=${rest%%:*} rest=${rest#*:}
      group=${rest%%:*} rest=${rest#*:}
      session=${rest%%:*}
      case $ours in *" $pid "*) continue ;; esac
      case $roots in
        *" $pid "* | *" $group "* | *" $session "*) ours="$ours$pid " grown=yes ;;
        *) case $ours in *" $parent "*) ours="$ours$pid " grown=yes ;; esac ;;
      esac
    done
  done
}

round=0
while [ $round -lt 100 ]; do
  read_table
  choose_roots
  find_ours
  [ "$ours" = ' ' ] && exit 0
  kill -KILL $ours 2>/dev/null
  round=$((round + 1))
  [ $round -lt 5 ] || sleep 0.05
done
