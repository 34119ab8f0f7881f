// A process that runs one command: node call.mjs PEER_FILE

const peer = await import(process.argv[2]);
await peer.run('true');
