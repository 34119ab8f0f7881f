// The events of a toolset.

import type { Job } from '../../job/api.ts';
import type { SandboxGrant } from '../../options/surroundings/sandbox-api.ts';
import type { Decision } from '../../policy/api.ts';
import type { RunResult } from '../../result/api.ts';
import type { Dialect, Escalation, ToolResult, ToolUpdate, Verdict } from './definition.ts';

/** An event of a toolset, for an audit. Plain JSON, apart from `result.run`. */
export type ToolEvent =
  | {
      type: 'call';
      /** Milliseconds since 1970. */
      time: number;
      dialect: Dialect;
      tool: string;
      callId: string | undefined;
      args: unknown;
      meta: Record<string, unknown> | undefined;
    }
  | {
      type: 'decision';
      time: number;
      dialect: Dialect;
      tool: string;
      callId: string | undefined;
      command: string;
      /** The model's description of the command, in dialects that have one; else `null`. */
      description: string | null;
      verdict: Verdict;
      reason: string | null;
      /** The decision of the policy; `null` without a policy. */
      decision: Decision | null;
      /** The rights that the command asks for beyond its sandbox; `null` for none. */
      escalation: Escalation | null;
      /** The rights of these that are granted, with the verdict `allow`; `null` for none. */
      grant: SandboxGrant | null;
    }
  | {
      /** A command starts, before its first output. */
      type: 'start';
      time: number;
      tool: string;
      callId: string | undefined;
      command: string;
      /** Whether it runs in a terminal. */
      pty: boolean;
      /** The job of the command, as for `onJob` of a call. Not enumerable. */
      job: Job;
    }
  | { type: 'update'; time: number; tool: string; callId: string | undefined; update: ToolUpdate }
  | {
      type: 'result';
      time: number;
      dialect: Dialect;
      tool: string;
      callId: string | undefined;
      durationMs: number;
      result: ToolResult;
    }
  | {
      /** A job of this toolset has ended. */
      type: 'job';
      time: number;
      jobId: string;
      /** The `callId` of the call that has started it. */
      callId: string | undefined;
      command: string;
      /**
       * The text for the model, for dialects whose answers promise a notice: `<task-notification>` of
       * `claude-code` in the form `current`; `null` for the others.
       */
      notice: string | null;
      result: RunResult;
    };
