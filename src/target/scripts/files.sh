# Carries out one request about a file without a helper. `files/by_shell.rs` has the picture.
#
# $1 the operation, $2 the root, $3 the path, $4 the names below it, $5 whether the last name may be a link,
# and then what the operation needs. Texts of any bytes are escaped for `printf %b`.
exec 2>/dev/null
LC_ALL=C CDPATH=
export LC_ALL
decode() { v=`printf '%b.' "$1"`; v=${v%.}; }
fail() { printf 'F%s' "$1"; exit; }
done_() { printf D; exit; }
# The current directory, with line breaks at its end.
here() { w=`pwd -P; echo .`; w=${w%??}; }
# Why a change has failed, as far as a shell can know.
refused() { [ -w . ] || fail EACCES; fail EIO; }
enter() {
  case $1 in -*) set -- "./$1";; esac
  cd -P "$1" || {
    [ ! -d "$1" ] || fail EACCES
    [ ! -e "$1" ] && [ ! -L "$1" ] || fail ENOTDIR
    fail ENOENT
  }
  [ "$r" ] || return 0
  here
  case $w/ in "${r%/}"/*) ;; *) fail OUTSIDE;; esac
}
facts() {
  stat -c '%f %s %b %d %i %h %u %g %X %Y %Z' "$1" || stat -f '%Xp %z %b %d %i %l %u %g %a %m %c' "$1"
}
found() { [ -e "$1" ] || [ -L "$1" ]; }

op=$1
decode "$2"; r=$v
decode "$3"; p=$v
below=$4
follows=$5
shift 5
[ -z "$r" ] || {
  top=$r
  r=
  enter "$top"
  here
  r=$w
}
if [ "$below" ]; then
  enter "${p:-.}"
  n=
  IFS=/
  set -f
  for c in $below; do
    [ -z "$n" ] || { [ ! -L "./$n" ] || fail ENOTDIR; enter "./$n"; }
    decode "$c"
    n=$v
  done
  set +f
  unset IFS
else
  links=0
  while :; do
    while case $p in ?*/) ;; *) false;; esac; do p=${p%/}; done
    case ${p:-/} in
      /) enter /; n=.;;
      */*) n=${p##*/}; q=${p%/*}; enter "${q:-/}";;
      *) n=$p;;
    esac
    case $n in .|..) enter "$n"; n=.;; esac
    [ "$follows" ] && [ -L "./$n" ] || break
    links=$((links + 1))
    [ $links -le 40 ] || fail ELOOP
    p=`readlink "./$n"; echo .`
    p=${p%??}
  done
fi
f=./$n
found "$f" || case $op in write|put|finish|partial|drop|mkdir|link) ;; *) fail ENOENT;; esac
# Gives a complete file its attributes and its name.
settle() {
  m=$2
  [ "$m" ] || { [ -f "$f" ] && [ ! -L "$f" ] && m=`stat -c %a "$f" || stat -f %Lp "$f"`; }
  [ -z "$m" ] || chmod "$m" "$1" || { rm -f "$1"; refused; }
  [ -z "$3" ] || touch -d "@$3" "$1" || touch -t "`date -r "$3" +%Y%m%d%H%M.%S`" "$1"
  mv -f "$1" "$f" || { rm -f "$1"; refused; }
  done_
}
no_directory() { [ ! -d "$f" ] || [ -L "$f" ] || fail EISDIR; }
file() {
  [ ! -d "$1" ] || fail EISDIR
  [ -f "$1" ] || fail NOTFILE
}
case $op in
  stat) printf S; facts "$f" || fail ENOTSUP;;
  read)
    file "$f"
    [ -r "$f" ] || fail EACCES
    s=`facts "$f"` || fail ENOTSUP
    printf 'A%s\n' "$s"
    if [ $(($1 % $3)) = 0 ]; then dd if="$f" bs=$3 skip=$(($1 / $3)) count=1 | head -c $2
    else tail -c +$(($1 + 1)) "$f" | head -c $2; fi;;
  list)
    [ -d "$f" ] && { [ "$follows" ] || [ ! -L "$f" ]; } || fail ENOTDIR
    enter "$f"
    [ -r . ] || fail EACCES
    printf L
    for x in * .[!.]* ..?*; do
      found "./$x" || continue
      facts "./$x" || continue
      printf '%s\0' "$x"
      [ ! -L "./$x" ] || readlink "./$x"
      printf '\0'
    done;;
  write)
    t=$f
    [ -z "$1" ] || t=./.agent-bash-partial-$1
    [ ! -e "$t" ] || file "$t"
    case $2 in
      begin) : >"$t" || refused; [ -z "$4" ] || chmod "$4" "$t" || refused;;
      *) [ -f "$t" ] || fail ENOENT;;
    esac
    b=1
    [ $(($3 % 4096)) != 0 ] || b=4096
    [ "$5" = 0 ] || dd of="$t" bs=$b seek=$(($3 / $b)) conv=notrunc || fail ENOSPC
    done_;;
  put)
    no_directory
    t=./.agent-bash-partial-$1
    cat >"$t" || { rm -f "$t"; refused; }
    settle "$t" "$2" "$3";;
  partial)
    t=./.agent-bash-partial-$1
    if [ -f "$t" ]; then printf 'N%s' "`wc -c <"$t"`"; else printf N0; fi;;
  finish)
    no_directory
    t=./.agent-bash-partial-$1
    [ -f "$t" ] || fail ENOENT
    [ "`wc -c <"$t"`" -eq $4 ] || dd of="$t" bs=1 seek=$4 count=0 </dev/null || fail ENOSPC
    settle "$t" "$2" "$3";;
  drop) rm -f "./.agent-bash-partial-$1"; done_;;
  mkdir)
    if [ -d "$f" ]; then printf C; exit; fi
    ! found "$f" || fail EEXIST
    mkdir "$f" || refused
    [ -z "$1" ] || chmod "$1" "$f"
    printf K;;
  link)
    no_directory
    decode "$1"
    rm -f "$f"
    case $v in -*) ln -s -- "$v" "$f";; *) ln -s "$v" "$f";; esac || refused
    done_;;
  change)
    [ -z "$1" ] || chmod "$1" "$f" || refused
    [ -z "$2" ] || touch -d "@$2" "$f" || touch -t "`date -r "$2" +%Y%m%d%H%M.%S`" "$f"
    done_;;
  remove)
    [ "$n" != . ] || fail EINVAL
    if [ ! -d "$f" ] || [ -L "$f" ]; then rm -f "$f" || refused
    elif [ "$1" ]; then rm -rf "$f" || refused
    else rmdir "$f" || { [ -z "`ls -A "$f"`" ] || fail ENOTEMPTY; refused; }; fi
    done_;;
esac
