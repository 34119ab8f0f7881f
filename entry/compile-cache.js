'use strict';

// The compile cache of V8 for the command line (Node.js 22.1 and later): from the second start on, the bundle
// is not compiled again.
//
// The cache is in the user's own directory. The usual one of Node.js is in `/tmp`, where commands of a
// sandbox may write (`tmp: 'host'`), and V8 runs what it finds there. The package itself leaves the choice to
// its host: the cache is one of the whole process.

const { homedir } = require('node:os');
const { isAbsolute, join } = require('node:path');
const { enableCompileCache } = require('node:module');

exports.useCompileCache = () => {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME = '' } = process.env;
  if (NODE_COMPILE_CACHE || enableCompileCache === undefined) return;
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
  // Where the directory can't be made, everything is compiled.
  enableCompileCache(join(caches, 'agent-bash', 'compiled'));
};
