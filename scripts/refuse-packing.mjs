// Refuses what would make a package without the addon, which is in packages of its own: `npm pack` and
// `npm publish` in the repository (npm calls this script as `prepack`), and an installation from git, in
// which npm sets `_PACOTE_NO_PREPARE_` (as `prepare`). `npm run pack:all` sets AGENT_BASH_PACK.
const { AGENT_BASH_PACK, _PACOTE_NO_PREPARE_: git, npm_lifecycle_event: event } = process.env;

const refused =
  event === 'prepack'
    ? AGENT_BASH_PACK === undefined && "agent-bash can't be packed alone"
    : git !== undefined && "agent-bash can't be installed from git";
if (refused) {
  console.error(
    `${refused}: its addon has to be built, and is in a package of its own.\n` +
      'In a clone, run `npm ci && npm run build && npm run pack:all -- --local`. ' +
      'Then `npm install` both files of its folder dist.',
  );
  process.exitCode = 1;
}
