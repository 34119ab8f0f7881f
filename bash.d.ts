/**
 * The bash tool alone, for hosts that want the shortest start: `bash()` and `BashJob` as `agent-bash` exports them. It loads
 * faster than the whole package (docs/performance.md has the figures).
 */
export { BashJob, type BashJobOptions, bash } from './index.js';
