// A process that runs one command: node call.cjs PEER_FILE

const peer = require(process.argv[2]);
peer.run('true');
