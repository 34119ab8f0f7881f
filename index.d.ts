/// <reference types="node" />
// The types of agent-bash, by topic.
// Times are milliseconds, sizes are bytes, and an option of `undefined` counts as absent.

export * from './types/bash.js';
export {
  type ByteChunk,
  type Encoding,
  nonInteractiveEnv,
  type Output,
  type OutputChunk,
  type SignalName,
  type StreamName,
  type TextChunk,
} from './types/command.js';
export * from './types/diagnostics.js';
export * from './types/durable.js';
export * from './types/job.js';
export * from './types/jobs.js';
export * from './types/login-state.js';
export * from './types/options.js';
export * from './types/overlay.js';
export * from './types/policy.js';
export * from './types/record.js';
export * from './types/result.js';
export * from './types/run.js';
export * from './types/sandbox.js';
export * from './types/session.js';
export * from './types/surroundings.js';
export * from './types/target.js';
export * from './types/target-files.js';
export * from './types/terminal.js';
export * from './types/view.js';
