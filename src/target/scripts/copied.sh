# Receives a copy of the helper, and executes it. The copy has no name from its first byte on, so no
# unfinished copy stays if the stream is cut or the shell is killed. A start file may have replaced the shell
# by zsh, which does not split the value of a variable.

# Prints the bytes of the copy.
g() { head -c $b; };
g </dev/null >/dev/null 2>&1 || g() { dd bs=1 count=$b; };
f=/proc/self/fd/8;

# Keeps these bytes, and tells from time to time how many there are. On a full disk, reads the rest too.
k() {
  : >$f;
  s=0;
  while dd bs=65536 count=1 >>$f; c=`wc -c <$f`; [ $c -gt $s ]; do
    s=$c;
    say part $c;
  done;
  cat >>$f;
  cat >/dev/null;
};

# Tries a directory. A script in it is executed before the copy is requested, because `test -x` of busybox is
# true on a `noexec` mount. The helper puts itself into the cache, whose path is the second argument.
t() {
  p=$1/.$n;
  (set -C; : >"$p") 2>/dev/null || return;
  {
    rm -f "$p";
    (chmod 700 $f; echo "#!/bin/sh" >$f; $f 8<&8) 2>/dev/null || return;
    say want $u;
    g 2>/dev/null | k 2>/dev/null;
    [ "`wc -c <$f`" -eq $b ] && say have && umask $m && exec $f supervise $n "$2";
    say full;
  } 8<"$p";
  rm -f "$p";
};

for d in "$XDG_CACHE_HOME" "${HOME:+$HOME/.cache}"; do
  case $d in
    /[!/]*) d=$d/agent-bash; mkdir -p "$d" 2>/dev/null; t "$d" "$d/helper-$h";;
  esac;
done;
for d in "$TMPDIR" /tmp /var/tmp /dev/shm /run; do
  case $d in /*) t "$d";; esac;
done;
say nowhere
