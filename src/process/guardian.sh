# Waits until the host is gone, then kills what its jobs have left.
#
# Standard input is a pipe whose only writer is the host: its end is the host's end, however it came about.
# Descriptor 3 is the host's table, a line each: number, start time, kind, the numbers of two pipes, and a tag or 0. A
# leader was the host's own child: nobody else could have its number, or that of its group, while the host lived. Its
# start time is 0 if it has just entered itself. All that it has started carry its tag, unless they have taken it off. An
# escaped process is known by number and start time together, and by nothing less.
set -f
while read -r _; do :; done

listed=
pipes=' '
tags=
newline='
'
while read -r pid start kind stdout stderr tag; do
  [ -n "$pid" ] || continue
  listed="$listed $pid:$start:$kind"
  pipes="$pipes$stdout:$start $stderr:$start "
  [ "${tag:-0}" = 0 ] || tags="${tags:+$tags$newline}$tag"
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
    pid=${stat#/proc/}
    pid=${pid%/stat}
    read_row "$pid"
    set -- $row
    case ${1:-Z} in Z | X) continue ;; esac
    [ "$pid" = $$ ] || rows="$rows $pid:$2:$3:$4:${20}"
  done
}

# Sets `row`: what stands behind the name of a process, its state first.
read_row() {
  row=
  # A program's name may hold a line break.
  { while read -r part || [ -n "$part" ]; do row="$row $part"; done < "/proc/$1/stat"; } 2>/dev/null
  row=${row##*) }
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

# Sets `tagged`: whoever carries a listed tag and lives, wherever it has gone, and if it came after the table was read. A
# tag is the soft limit of file locks, which limits nothing; no other limit is a number like that.
find_tagged() {
  tagged=' '
  [ -n "$tags" ] || return 0
  for file in $(cd /proc 2>/dev/null && set +f && grep -lF "$tags" [0-9]*/limits 2>/dev/null); do
    pid=${file%/limits}
    case "$rows " in
      *" $pid:"*) ;;
      *)
        read_row "$pid"
        case ${row:-Z} in [ZX]*) continue ;; esac
        ;;
    esac
    tagged="$tagged$pid "
  done
}

# Sets `ours`: the holders, the tagged, the members of the listed groups and sessions, and the descendants of all.
find_ours() {
  ours=$tagged
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
unseen=0
stopped=
while [ $round -lt 100 ]; do
  read_table
  choose_roots
  [ $round -gt 0 ] || find_holders
  find_tagged
  find_ours
  if [ "$ours" = ' ' ]; then
    # While the tagged are looked for, one may have started the next and ended.
    unseen=$((unseen + 1))
    [ -n "$tags" ] && [ $unseen -lt 3 ] || exit 0
    continue
  fi
  unseen=0
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
