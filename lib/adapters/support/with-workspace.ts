import { resolve } from 'node:path';
import type { TargetOptions } from 'agent-bash';

/** Returns the options of a target, in whose new container the root is the workspace. */
function withWorkspace(options: TargetOptions, root: string | URL | undefined): TargetOptions {
  const { container } = options;
  if (root === undefined || container?.image === undefined) return options;
  return { ...options, container: { workspace: resolve(String(root)), ...container } };
}

export { withWorkspace };
