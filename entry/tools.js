'use strict';

// `npm run build:js` writes this file: the names are the exports of lib/tools/index.ts.
let all;
try {
  all = require('../bundle/tools.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { createTool, createTools, dialects, geminiSchema, strictSchema } = all;

module.exports = { createTool, createTools, dialects, geminiSchema, strictSchema };
