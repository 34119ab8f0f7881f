'use strict';

// `npm run build:js` builds the files in bundle/ from those in lib/.
module.exports = require('./bundle/index.cjs');
