// Imports the rest of the package: otherwise the bundler would put the code that both need into separate
// files.
import '../on-demand.ts';

export { dialects } from './dialects.ts';
export { geminiSchema, strictSchema } from './schemas.ts';
export { createTool, createTools } from './toolset.ts';
