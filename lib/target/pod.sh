# Executes words in the newest running pod of a selector.
pods=$(@KUBECTL@ get pods -l @SELECTOR@ --field-selector=status.phase=Running \
  --sort-by=.metadata.creationTimestamp -o name </dev/null) || exit 1
pod=$(printf '%s\n' "$pods" | tail -n 1)
if [ -z "$pod" ]; then echo "no running pod matches" @SELECTOR@ >&2; exit 1; fi
exec @KUBECTL@ exec -i "$pod" @CONTAINER@ -- "$@"
