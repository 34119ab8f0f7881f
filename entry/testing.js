'use strict';

// `npm run build:js` writes this file: the names are the exports of lib/testing/index.ts.
let all;
try {
  all = require('../bundle/testing.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { faults, matchers, resultSerializer, withShell } = all;

module.exports = { faults, matchers, resultSerializer, withShell };
