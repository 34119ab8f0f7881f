// The state that the calls of a toolset share, and that of each call.

import type * as Native from '../../native.js';
import type { Plain } from '../addon/addon-types.ts';
import type { Job } from '../job/job.ts';
import type { Jobs } from '../jobs.ts';
import type { Observers } from '../observe/observers.ts';
import type { SpillOptions } from '../options/command/api.ts';
import type { GivenSurroundings } from '../options/surroundings/surroundings.ts';
import type { Overlay } from '../overlay/overlay.ts';
import type { Policy } from '../policy/api.ts';
import type { Redactor } from '../redact/redaction.ts';
import type { Target } from '../target/target.ts';
import type { MinimizeOptions, ViewOptions } from '../view/api.ts';
import type { CallContext, Dialect } from './api/definition.ts';
import type { ToolEvent } from './api/events.ts';
import type { ToolsOptions } from './api/options.ts';
import type { ClientTerminals } from './api/terminals.ts';
import type { DialectProfile } from './dialects.ts';
import type { CwdMemory } from './state/cwd/cwd-memory.ts';
import type { StartDirectory } from './state/cwd/start-directory.ts';
import type { StartThere } from './state/cwd/start-there.ts';
import type { DurableJobs } from './state/durable-jobs.ts';
import type { FilesThere } from './state/files-there.ts';
import type { Grants } from './state/grants.ts';
import type { JobEntries } from './state/job-entries.ts';
import type { JobFiles } from './state/job-files.ts';
import type { OutputFiles } from './state/output-files.ts';
import type { ToolSession } from './state/session.ts';
import type { CleanText, UpdateSettings } from './updates.ts';

/** The addon's dialect with the host's settings. */
export type NativeDialect = Plain<Native.ToolDialect>;

/** The surroundings that the host gives to every command of a toolset, checked. */
export interface ToolSurroundings extends GivenSurroundings {
  root: string | undefined;
  cwd: string | undefined;
  /** A copy: the caller may change its own object later. */
  env: Record<string, string | undefined> | undefined;
  target: Target | undefined;
  overlay: Overlay | undefined;
  shell?: string | string[] | undefined;
  nonInteractive?: unknown;
}

/** The options of a dialect alone that stay in JavaScript. */
export interface OwnOptions {
  resolveUrl?: ((url: string, context: { ensureParent: boolean }) => unknown) | undefined;
  parentSchemes?: readonly string[] | undefined;
  saveArtifact?: ((path: string) => unknown) | undefined;
  readonly [name: string]: unknown;
}

/** The events of a toolset, without the fields that all of them have. */
export type EventFields<Type extends ToolEvent['type']> = Omit<
  Extract<ToolEvent, { type: Type }>,
  'type' | 'time'
>;

/** The state that all calls of a toolset share. */
export interface ToolsetState {
  readonly dialect: Dialect;
  readonly profile: DialectProfile;
  readonly native: NativeDialect;
  /** The dialect's name of the main tool. */
  readonly mainTool: string;
  /** Returns the dialect for a call now: a variable may turn terminals off. */
  readonly current: () => NativeDialect;
  /** Returns the dialect whose commands may not ask for more than the sandbox gives. */
  readonly confined: () => NativeDialect;
  readonly grants: Grants;
  readonly surroundings: ToolSurroundings;
  readonly own: OwnOptions;
  readonly jobs: Jobs;
  /** The jobs that outlive the toolset; `null` where all end with it. */
  readonly durable: DurableJobs | null;
  readonly spill: SpillOptions | undefined;
  readonly view: boolean | ViewOptions | undefined;
  readonly minimize: boolean | MinimizeOptions | undefined;
  readonly spills: boolean;
  /** Whether answers have only the words of the dialect's original. */
  readonly isOriginal: boolean;
  readonly files: OutputFiles;
  readonly jobFiles: JobFiles;
  readonly hasOutputTool: boolean;
  readonly approve: NonNullable<ToolsOptions['approve']> | undefined;
  readonly policy: Policy | undefined;
  readonly policyName: string;
  readonly refusesDanger: boolean;
  readonly background: ToolsOptions['background'];
  readonly asksPipeStatus: boolean;
  readonly updates: UpdateSettings & { inBackground: boolean };
  readonly start: StartDirectory | StartThere;
  /** The container of the last command. */
  container: string | undefined;
  readonly cwdMemory: CwdMemory | undefined;
  readonly session: ToolSession | undefined;
  readonly there: FilesThere | undefined;
  /** The terminals of the client in which commands run. */
  readonly terminals: ClientTerminals | undefined;
  readonly entries: JobEntries;
  readonly emit: <Type extends ToolEvent['type']>(type: Type, event: EventFields<Type>) => void;
  readonly hasListener: (type: ToolEvent['type']) => boolean;
  /** The recordings and live views of the toolset. */
  readonly observers: Observers;
  /** Returns what replaces secret values, as the environment is now. */
  readonly redactor: () => Redactor | undefined;
  /** Fires when the toolset is disposed of. */
  readonly disposal: AbortSignal;
  /** Registers an open call, for whose end the disposal of the toolset waits. */
  readonly open: <Answer>(call: Promise<Answer>) => Promise<Answer>;
}

/** A command of a call, at its start. */
export interface StartedCommand {
  job: Job;
  /** Whether it runs in a terminal. */
  pty: boolean;
  /** Removes from its output what no caller may see. */
  shown?: CleanText;
}

export interface ToolCall {
  readonly tool: string;
  /** The arguments as the caller gave them, and as JSON. */
  readonly args: unknown;
  readonly text: string;
  readonly context: CallContext;
  /** The number by which observers know the call; `null` without any, and for a decision before the call. */
  readonly number: number | null;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** The dialect's name of the tool. */
  readonly ownName: string;
  /** Gets each command of the call before its first output; `undefined` where nobody wants it. */
  started?: ((command: StartedCommand) => void) | undefined;
  /** Gets the id of each terminal of the client, and returns who gets its output; `undefined` as above. */
  opened?: ((terminalId: string) => (output: string) => void) | undefined;
}
