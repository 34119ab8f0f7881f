// The rest of the package is loaded by this one: without it, the bundler would put what both need into files of their own.
import '../index.mjs';

export { dialects } from './names.mjs';
export { geminiSchema, strictSchema } from './schemas.mjs';
export { createTool, createTools } from './toolset.mjs';
