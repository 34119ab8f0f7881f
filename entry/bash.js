'use strict';

// The bash tool alone: `bash()` and `BashJob`, which load faster than the whole package.
module.exports = require('../bundle/bash.cjs');
