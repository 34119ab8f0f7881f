// A process that runs one command: node call.cjs PEER_FILE SHELL FLAG

const [peer, ...shell] = process.argv.slice(2);
require(peer).run('true', shell);
