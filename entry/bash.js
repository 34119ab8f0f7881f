'use strict';

// `npm run build:js` writes this file: the names are the exports of lib/bash/index.ts.
let all;
try {
  all = require('../bundle/bash.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { BashJob, bash } = all;

module.exports = { BashJob, bash };
