// `npm run build:js` writes this file from lib/api.ts.
/// <reference types="node" />
export * from "./types/bash/api.js";
export * from "./types/diagnostics.js";
export * from "./types/durable/api.js";
export * from "./types/job/api.js";
export * from "./types/job/inspection/api.js";
export * from "./types/job/jobs-api.js";
export * from "./types/live/record/api.js";
export * from "./types/login-state/api.js";
export * from "./types/options/command/api.js";
export * from "./types/options/run-api.js";
export * from "./types/options/surroundings/api.js";
export * from "./types/options/surroundings/sandbox-api.js";
export * from "./types/overlay/api.js";
export * from "./types/policy/api.js";
export * from "./types/result/api.js";
export { type ByteChunk, type Encoding, nonInteractiveEnv, type Output, type OutputChunk, type SignalName, type StreamName, type TextChunk } from "./types/result/output-api.js";
export * from "./types/session/api.js";
export * from "./types/target/api.js";
export * from "./types/target/files-api.js";
export * from "./types/target/ports-api.js";
export * from "./types/view/api.js";
