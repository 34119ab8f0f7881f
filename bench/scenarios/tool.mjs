import { oneAfterAnother } from '../lib/work.mjs';

export const title = 'one `true` through a policy, a tool and an MCP server';
export const metrics = ['ms', 'cpuEachMs', 'callUs', 'gapMs'];
/** The shell that the MCP server starts for `--shell /bin/bash`. */
export const shell = ['/bin/bash', '-c'];
export const peers = [
  'agent-bash-run',
  'agent-bash-policy',
  'agent-bash-tool',
  'agent-bash-mcp',
  'child-process',
];

export async function measure(load) {
  return oneAfterAnother(await load(), 300);
}
