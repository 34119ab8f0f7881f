'use strict';

// `npm run build:js` makes the bundle of lib/live/.
let all;
try {
  all = require('../bundle/live.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { Live } = all;

module.exports = { Live };
