'use strict';

// `npm run build:js` writes this file: the names are the exports of lib/testing/index.ts.
let all;
try {
  all = require('../bundle/testing.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { beforeTests, ShellTests } = all;

module.exports = { beforeTests, ShellTests };
