import { path } from '../checks.ts';
import { absolutePath } from './absolute-path.ts';

/**
 * Checks `cwd` and `root`, and returns both as absolute paths; with the error if Node.js's own working
 * directory is gone, which `result.error` reports.
 */
function directories(cwd: unknown, root: unknown): { error: unknown; root: string | undefined; cwd: string } {
  const [start = '', top] = [path('options.cwd', cwd), path('options.root', root)];
  try {
    const absoluteTop = top === undefined ? undefined : absolutePath(top);
    return { error: null, root: absoluteTop, cwd: absolutePath(start, absoluteTop) };
  } catch (error) {
    return { error, root: top, cwd: start };
  }
}

export { directories };
