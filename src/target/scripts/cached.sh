# Executes a cached helper.
for d in "$XDG_CACHE_HOME" "${HOME:+$HOME/.cache}"; do
  f=$d/agent-bash/helper-$h;
  case $d in
    /[!/]*) [ -x "$f" ] && say have && umask $m && exec "$f" supervise $n;;
  esac;
done;
