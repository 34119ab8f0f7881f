'use strict';

// `npm run build:js` makes the files in bundle/ of those in lib/.
module.exports = require('./bundle/index.cjs');
