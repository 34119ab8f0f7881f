// The sandboxes of other agents, as far as they are installed:
//
//   npm install --no-save --prefix bench @anthropic-ai/sandbox-runtime@0.0.83 @openai/codex@0.171.0
//
// sandbox-runtime also needs the programs bwrap, socat and rg.

import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BENCH } from './places.mjs';

let end = async () => {};

/** Ends what the sandboxes of other agents have started. */
export const endOtherSandboxes = () => end();

/** Returns a case of bench/sandbox.mjs for each: the name, the command (or a function), the options. */
export async function otherSandboxes(root) {
  return [...(await sandboxRuntime(root)), ...codex(root)];
}

async function sandboxRuntime(root) {
  try {
    const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [root], denyWrite: [join(root, 'memo')] },
    });
    end = () => SandboxManager.reset();
    // sandbox-runtime makes a command line for each command, which belongs to the cost.
    const command = async () => ['/bin/sh', '-c', await SandboxManager.wrapWithSandbox('/bin/true')];
    return [['sandbox-runtime', command, { cwd: root }]];
  } catch (error) {
    console.error(`without sandbox-runtime: ${error.message}`);
    return [];
  }
}

function codex(root) {
  const vendor = `${BENCH}node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl`;
  const program = join(vendor, 'bin/codex');
  if (!existsSync(program)) {
    console.error('without codex: it is not installed');
    return [];
  }
  // Codex refuses a directory in /tmp.
  const home = join(homedir(), '.cache/agent-bash-bench/codex');
  mkdirSync(home, { recursive: true });
  const command = [program, 'sandbox', '-c', 'sandbox_mode="workspace-write"', '/bin/true'];
  return [['codex', command, { cwd: root, env: { CODEX_HOME: home } }]];
}
