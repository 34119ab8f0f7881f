'use strict';

// The bash tool alone: `bash()` and `BashJob`, which load in half of the time.
module.exports = require('./bundle/bash.cjs');
