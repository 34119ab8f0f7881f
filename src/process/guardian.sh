# Waits until the host is gone, then kills what its jobs have left.
#
# Standard input is a pipe whose only writer is the host: its end is the host's end, however it came about.
# Descriptor 3 is the host's table, a line each. PROGRAM is what reads it.
while read -r _; do :; done
command -v awk >/dev/null && exec awk "$PROGRAM" <&3
# Without awk the groups that the jobs lead can be told, if no stranger has their number now, and nobody else.
while read -r pid start kind _; do
  [ "$kind" = leader ] && [ "$pid" -gt 1 ] || continue
  row=
  # A program's name may hold a line break.
  { while read -r part || [ -n "$part" ]; do row="$row $part"; done < "/proc/$pid/stat"; } 2>/dev/null
  set -f -- ${row##*) }
  case ${20:-$start}:$start in
    "$start:$start" | *:0) kill -KILL "-$pid" ;;
  esac
done <&3 2>/dev/null
