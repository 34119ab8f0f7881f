# Waits until the host is gone, then kills what its jobs have left.
#
# Standard input is a pipe whose only writer is the host: its end is the host's end, however it came about.
# Descriptor 3 is the host's table, a line each. PROGRAM is what reads it.
while read -r _; do :; done
if command -v awk >/dev/null; then
  table=$(awk 'NF > 2' <&3)
  # mawk gives up where a process ends while its row is read. All that it does can be done again.
  tries=0
  until printf '%s\n' "$table" | awk "$PROGRAM"; do
    [ $((tries += 1)) -lt 100 ] || exit 1
  done 2>/dev/null
  exit
fi
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
