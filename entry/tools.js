'use strict';

// `npm run build:js` makes the bundle of lib/tools/.
const { createTool, createTools, dialects, geminiSchema, strictSchema } = require('../bundle/tools.cjs');

module.exports = { createTool, createTools, dialects, geminiSchema, strictSchema };
