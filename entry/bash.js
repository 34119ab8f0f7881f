'use strict';

// The bash tool alone: `bash()` and `BashJob`, which load faster than the whole package.
try {
  module.exports = require('../bundle/bash.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
