// A registry on loopback, in a process of its own: its first argument is where it keeps what it is given. It
// tells its port to the process that has started it, and ends together with that.
const { once } = require('node:events');
const { join } = require('node:path');
const { runServer } = require('verdaccio');

async function main(directory) {
  process.on('disconnect', () => process.exit());
  const server = await runServer({
    configPath: join(directory, 'config.yaml'),
    storage: join(directory, 'storage'),
    auth: { htpasswd: { file: join(directory, 'htpasswd'), max_users: 1 } },
    // The registry has no upstream: packages that were not published here do not exist.
    uplinks: {},
    packages: { '**': { access: '$all', publish: '$authenticated' } },
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'error' },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send(server.address().port);
}

main(process.argv[2]);
