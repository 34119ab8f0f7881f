// As ../../peers/child-process.mjs, with as little of it as one command needs.

const { spawn } = require('node:child_process');

exports.run = (command, [shell, flag]) =>
  new Promise((resolve, reject) => {
    const child = spawn(shell, [flag, command], { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
