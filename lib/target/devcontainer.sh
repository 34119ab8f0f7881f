# Executes words in the dev container of a folder, which carries a label, as its user and in its workspace.
ids=$(@ENGINE@ ps -q --filter label=devcontainer.local_folder=@FOLDER@ </dev/null) || exit 1
id=$(printf '%s\n' "$ids" | head -n 1)
if [ -z "$id" ]; then echo "no running container has the label devcontainer.local_folder="@FOLDER@ >&2; exit 1; fi
user=@USER@
if [ -z "$user" ]; then
  label=$(@ENGINE@ inspect -f '{{index .Config.Labels "devcontainer.metadata"}}' "$id" </dev/null) || exit 1
  user=$(printf '%s\n' "$label" | sed -n 's/.*"remoteUser" *: *"\([^"]*\)".*/\1/p')
fi
place=$(@ENGINE@ inspect -f @MOUNT@ "$id" </dev/null | head -n 1)
exec @ENGINE@ exec -i ${user:+--user "$user"} ${place:+-w "$place"} "$id" "$@"
