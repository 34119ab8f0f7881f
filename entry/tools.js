'use strict';

// `npm run build:js` makes the bundle of lib/tools/.
let all;
try {
  all = require('../bundle/tools.cjs');
} catch (error) {
  throw require('./unbuilt.js')(error);
}
const { createTool, createTools, dialects, geminiSchema, strictSchema } = all;

module.exports = { createTool, createTools, dialects, geminiSchema, strictSchema };
