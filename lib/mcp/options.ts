import type { Toolset } from 'agent-bash/tools';
import {
  boolean,
  callback,
  cText,
  integer,
  invalid,
  object,
  oneOf,
  timerMilliseconds,
} from '../options/checks.ts';
import { VERSION } from '../version.ts';
import type { McpOptions } from './api.ts';

/** The checked options of a server. */
export interface McpSettings
  extends Required<
    Pick<
      McpOptions,
      'approval' | 'approvalHint' | 'maxResultChars' | 'structuredContent' | 'alwaysLoad' | 'yieldMs'
    >
  > {
  serverInfo: { name: string; version: string };
  instructions: string;
  onerror: McpOptions['onerror'];
}

const KNOWN = [
  'name',
  'version',
  'instructions',
  'approval',
  'approvalHint',
  'maxResultChars',
  'structuredContent',
  'yieldMs',
  'alwaysLoad',
  'onerror',
] as const;

/** Default of `yieldMs` (ms): below 60 s, the request timeout of the SDKs' clients. */
const YIELD_MS = 45_000;

/** Maximum of `anthropic/maxResultSizeChars` in Claude Code (characters). */
const MAX_RESULT_CHARS = 500_000;

/** Default of `approvalHint`, for a server in a program: it has no command line. */
const APPROVAL_HINT = "the server's program decides with the toolset's option `approve` or its policy";

/** Validates the options of a server, and fills in defaults. */
function mcpSettings(toolset: Toolset, options: McpOptions = {}): McpSettings {
  if (typeof toolset?.call !== 'function') throw invalid('toolset', 'what createTools() returns', toolset);
  const {
    name,
    version,
    instructions,
    approval,
    approvalHint,
    maxResultChars,
    structuredContent,
    alwaysLoad,
    yieldMs,
    onerror,
  } = object('options', options, KNOWN);
  callback('options.onerror', onerror);
  return {
    serverInfo: {
      name: text('options.name', name) ?? 'agent-bash',
      version: text('options.version', version) ?? VERSION,
    },
    instructions: text('options.instructions', instructions) ?? toolset.instructions,
    approval: oneOf('options.approval', approval, ['elicit', 'deny', 'allow']) ?? 'elicit',
    approvalHint: text('options.approvalHint', approvalHint) ?? APPROVAL_HINT,
    maxResultChars:
      integer('options.maxResultChars', maxResultChars, 1, MAX_RESULT_CHARS, 'characters') ?? 100_000,
    structuredContent:
      oneOf('options.structuredContent', structuredContent, ['text', 'full', 'none']) ?? 'text',
    alwaysLoad: boolean('options.alwaysLoad', alwaysLoad) ?? false,
    yieldMs: timerMilliseconds('options.yieldMs', yieldMs) ?? YIELD_MS,
    onerror: onerror as McpOptions['onerror'],
  };
}

function text(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : cText(name, value);
}

export { mcpSettings };
