'use strict';

// `npm run build:js` makes the bundle of lib/testing/.
try {
  module.exports = require('../bundle/testing.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
