/**
 * `bash()` and `BashJob` alone, as `agent-bash` exports them, for hosts that need the shortest start. This subpath loads
 * faster than the whole package: docs/performance.md has the figures.
 */
export { BashJob, type BashJobOptions, bash } from '../index.js';
