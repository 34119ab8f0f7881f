#!/usr/bin/env node
'use strict';

require('./compile-cache.js').useCompileCache();

let main;
try {
  ({ main } = require('../bundle/cli.cjs'));
} catch (error) {
  const { code, message } = require('./unbuilt.js')(error);
  if (code !== 'ADDON_MISSING') throw error;
  process.stderr.write(`agent-bash: ${message}\n`);
  process.exit(1);
}
main(process.argv.slice(2));
