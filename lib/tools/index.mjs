// Imports the rest of the package: otherwise the bundler would put the code that both need into separate
// files.
import '../rest.ts';

export { dialects } from './dialects.mjs';
export { geminiSchema, strictSchema } from './schemas.mjs';
export { createTool, createTools } from './toolset.mjs';
