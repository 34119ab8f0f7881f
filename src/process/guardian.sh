# Waits until the host is gone, then kills what its jobs have left.
#
# Standard input is a pipe whose only writer is the host: its end is the host's end, however it came about.
# Descriptor 3 is the host's table, a line each: number, start time, kind, and the numbers of two pipes. A leader was the host's own child: nobody
# else could have its number, or that of its group, while the host lived. Its start time is 0 if it has just entered
# itself. An escaped process is known by number and start time together, and by nothing less.
set -f
while read -r _; do :; done

listed=
pipes=' '
while read -r pid start kind stdout stderr; do
  [ -n "$pid" ] || continue
  listed="$listed $pid:$start:$kind"
  pipes="$pipes$stdout:$start $stderr:$start "
done <&3
[ -n "$listed" ] || exit 0

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
  for entry in $listed; do
    pid=${entry%%:*} kind=${entry##*:}
    start=${entry#*:} start=${start%:*}
    case "$rows " in
      *" $pid:"*)
        now=${rows#*" $pid:"} now=${now%% *} now=${now##*:}
        case $start:$kind in
          "$now":* | 0:leader) roots="$roots$pid " ;;
          *) [ "$now" != '?' ] || roots="$roots$pid " ;;
        esac
        ;;
      # It is gone. A group or session that it led is not.
      *) [ "$kind" = escaped ] || roots="$roots$pid " ;;
    esac
  done
}

# Sets `holders`: whoever has a job's output open for writing, and is not older than the job.
find_holders() {
  holders=
  # A name that is a number stands before what that process has open.
  for word in $(cd /proc 2>/dev/null && set +f && ls -l [0-9]*/fd 2>/dev/null | while read -r mode rest; do
    case $mode in
      [0-9]*/fd:) echo "${mode%/fd:}" ;;
      l?w*) case $rest in *'pipe:['*) rest=${rest##*'pipe:['}; echo "pipe${rest%]}" ;; esac ;;
    esac
  done); do
    case $word in
      pipe*)
        case $pipes in
          *" ${word#pipe}:"*)
            since=${pipes#*" ${word#pipe}:"} since=${since%% *}
            started=${rows#*" $pid:"} started=${started%% *} started=${started##*:}
            case "$rows " in *" $pid:"*) [ "$started" -lt "$since" ] || holders="$holders $pid" ;; esac
            ;;
        esac
        ;;
      *) pid=$word ;;
    esac
  done
}

# Sets `ours`: the holders, the members of the listed groups and sessions, and the descendants of all.
find_ours() {
  ours=' '
  for pid in $holders; do
    case "$rows " in *" $pid:"*) ours="$ours$pid " ;; esac
  done
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

# Whoever is stopped starts nobody. So they are stopped until nobody new is found, and killed then.
round=0
stopped=
while [ $round -lt 100 ]; do
  read_table
  choose_roots
  [ $round -gt 0 ] || find_holders
  find_ours
  [ "$ours" != ' ' ] || exit 0
  if [ "$ours" = "$stopped" ] || [ $round -gt 10 ]; then
    kill -KILL $ours 2>/dev/null
    stopped=
  else
    kill -STOP $ours 2>/dev/null
    stopped=$ours
  fi
  round=$((round + 1))
  [ $round -lt 8 ] || sleep 0.05
done
