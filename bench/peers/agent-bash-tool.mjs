// The tool of the dialect `bash`, called as an agent calls it. It is measured only beside run().

import { createTools } from '../../entry/tools.js';
import { flag, shell } from '../lib/shell.mjs';

const [tool] = createTools('bash', { shell: [shell, flag] }).tools;

export async function run(command) {
  const { text } = await tool.execute({ command });
  return text;
}
