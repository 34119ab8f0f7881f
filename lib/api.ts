// The types of agent-bash, by topic.
// Times are milliseconds, sizes are bytes, and an option of `undefined` counts as absent.

export * from './bash/api.ts';
export * from './credentials/api.ts';
export * from './diagnostics.ts';
export * from './durable/api.ts';
export * from './job/api.ts';
export * from './job/inspection/api.ts';
export * from './job/jobs-api.ts';
export * from './keys.ts';
export * from './live/record/api.ts';
export * from './login-state/api.ts';
export * from './login-state/login-state.ts';
export * from './options/command/api.ts';
export * from './options/run-api.ts';
export * from './options/surroundings/api.ts';
export * from './options/surroundings/prompt-api.ts';
export * from './options/surroundings/sandbox-api.ts';
export * from './overlay/api.ts';
export * from './policy/api.ts';
export * from './policy/check-policy.ts';
export * from './policy/imports.ts';
export * from './probe.ts';
export * from './result/api.ts';
export {
  type ByteChunk,
  type CodePage,
  type Encoding,
  nonInteractiveEnv,
  type Output,
  type OutputChunk,
  type SignalName,
  type StreamName,
  type TextChunk,
} from './result/output-api.ts';
export * from './session/api.ts';
export * from './target/api.ts';
export * from './target/files-api.ts';
export * from './target/ports-api.ts';
export * from './view/api.ts';
export * from './view/changed-since.ts';
