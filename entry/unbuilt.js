'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Returns what to throw for an error of `require('../bundle/…')`: a clone of the repository may not be built.
 */
module.exports = function unbuilt(cause) {
  const root = join(__dirname, '..');
  if (cause.code !== 'MODULE_NOT_FOUND' || existsSync(join(root, 'bundle/index.cjs'))) return cause;
  const error = new Error(
    `agent-bash can't find its code: ${root} is a clone that was not built. Run \`npm ci && npm run build\` there.`,
  );
  error.code = 'ADDON_MISSING';
  error.stack = `Error: ${error.message}`;
  return error;
};
