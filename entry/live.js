'use strict';

// `npm run build:js` writes this file: the names are the exports of lib/live/index.ts.
let all;
try {
  all = require('../bundle/live.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { Live } = all;

module.exports = { Live };
