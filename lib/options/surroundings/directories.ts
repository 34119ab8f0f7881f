import { absolutePath } from '../../support/absolute-path.ts';

/**
 * Returns `cwd` and `root` as absolute paths; with the error if Node.js's own working directory is gone,
 * which `result.error` reports.
 */
function directories(start = '', top?: string): { error: unknown; root: string | undefined; cwd: string } {
  try {
    const absoluteTop = top === undefined ? undefined : absolutePath(top);
    return { error: null, root: absoluteTop, cwd: absolutePath(start, absoluteTop) };
  } catch (error) {
    return { error, root: top, cwd: start };
  }
}

export { directories };
