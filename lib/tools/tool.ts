import type { ToolAnswer, ToolStep } from '../../native.js';
import { ref, unref } from '../addon/binding.ts';
import { unlessAborted } from '../job/abort.ts';
import { withCause } from '../job/command-events.ts';
import { inside } from '../job/job.ts';
import { emitTo, nextCall } from '../observe/observed-command.ts';
import { milliseconds } from '../options/checks.ts';
import { redacted } from '../redact/redacted.ts';
import type { RunResult } from '../result/api.ts';
import { messageOf } from '../support/message-of.ts';
import { now, wallNow } from '../support/now.ts';
import type { Action, ReadyAction } from './actions.ts';
import type {
  Approval,
  CallContext,
  JSONSchema,
  StandardProps,
  ToolDefinition,
  ToolResult,
  ToolUpdate,
} from './api/definition.ts';
import { jsonOf, NotJson, parse } from './call-arguments.ts';
import type { CommandOutcome, CompoundOutcome } from './outcomes.ts';
import { endOfJob } from './perform/jobs.ts';
import { ABORTED, nothingRun } from './perform/outcome.ts';
import { perform } from './perform/perform.ts';
import { makeParents, mayHaveUrls, withPaths } from './perform/urls.ts';
import { approved, decideAhead, NO_COMMAND } from './permission/approval.ts';
import { asksForMore, escalationOf } from './permission/escalation.ts';
import { startListener } from './start-of-command.ts';
import type { CallSignal } from './streamed-call.ts';
import { eitherSignal, stream } from './streamed-call.ts';
import type { NativeDialect, ToolCall, ToolsetState } from './toolset-state.ts';
import { dropAfterThrow, lastLine, Updates } from './updates.ts';

/** The key of the function by which a tool answers a call that can't be made. */
const FAIL: unique symbol = Symbol('fail');

/** A tool, with the function that answers a call which can't be made. */
export type Tool = ToolDefinition & { [FAIL]: (message: string) => ToolResult };

/** The description of a tool by its dialect. */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: JSONSchema;
  outputSchema: JSONSchema;
  readOnly: boolean;
}

/** The action of a call, or why it does nothing, and the dialect that answers it. */
interface Plan {
  dialect: NativeDialect;
  action: Action | undefined;
  refusal: ToolStep['refusal'];
}

/** An outcome for a dialect, by the name of its action. */
type Outcome = { of: string } & (CommandOutcome | CompoundOutcome);

/** The fields of a result besides the answer. */
interface More {
  run?: RunResult | undefined;
  jobId?: string | undefined;
  terminalId?: string | undefined;
}

/**
 * Creates a tool from its description. `ownName` is the dialect's name of the tool; `state` is the state that
 * all calls of the toolset share.
 */
function makeTool(description: ToolDescription, ownName: string, state: ToolsetState): Tool {
  const { name, title, inputSchema, outputSchema, readOnly } = description;
  const tool: Tool = {
    name,
    title,
    description: description.description,
    inputSchema,
    outputSchema,
    annotations: Object.freeze({
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: readOnly,
      openWorldHint: !readOnly,
    }),
    '~standard': standard(inputSchema, outputSchema, (args) => tool.parse(args)),
    parse: (args) =>
      parse(
        () => argumentsOf(args),
        inputSchema,
        (text) => state.native.plan(ownName, text),
      ),
    decide: (args, context) => state.open(decide(args, context ?? {})),
    execute: (args, context) => execute(args, context ?? {}),
    stream: (args, context) => stream(args, context ?? {}, execute),
    [FAIL]: (message) => refuse(message),
  };
  Object.defineProperty(tool, FAIL, { enumerable: false });

  /**
   * Returns the arguments as JSON. Some dialects take a bare command, as the callers of their originals did.
   */
  function argumentsOf(args: unknown): string {
    const isBare = state.profile.takesBareCommand && typeof args === 'string' && !/^\s*\{/.test(args);
    return jsonOf(isBare ? { command: args } : args);
  }

  /** Decides about a call before it is made. */
  async function decide(args: unknown, context: CallContext): Promise<Approval> {
    let ending: CallSignal | undefined;
    try {
      if (state.durable !== null) await state.durable.adopt();
      if (state.disposal.aborted) throw new Error(DISPOSED);
      ending = eitherSignal(state.disposal, context.signal);
      const text = argumentsOf(args);
      const { action } = planned(text, true);
      const call = { tool: name, ownName, args, text, context, number: null, signal: ending.signal };
      const complete = action === undefined ? undefined : await ready(action, ending.signal);
      if (complete === null) throw new Error(ABORTED);
      return await decideAhead(complete, call, state);
    } catch (error) {
      return { ...NO_COMMAND, verdict: 'deny', reason: redacted(messageOf(error), state.redactor()) };
    } finally {
      ending?.forget();
    }
  }

  function execute(args: unknown, context: CallContext): Promise<ToolResult> {
    return state.open(settle(args, context));
  }

  /** Runs a call from its arguments to its result. Every call takes this way. Never rejects. */
  async function settle(args: unknown, context: CallContext): Promise<ToolResult> {
    const { callId, meta } = context;
    const startedAt = now();
    let ending: CallSignal | undefined;
    if (state.hasListener('call'))
      state.emit('call', { dialect: state.dialect, tool: name, callId, args, meta });
    const number = observedCall(context);
    let result: ToolResult;
    ref();
    try {
      ending = eitherSignal(state.disposal, context.signal);
      result = await attempt(args, context, number, ending.signal);
    } catch (error) {
      result = answerSafely(args, failed(error));
    }
    result = redacted(result, state.redactor());
    ending?.forget();
    unref();
    if (state.hasListener('result')) {
      const durationMs = now() - startedAt;
      state.emit('result', { dialect: state.dialect, tool: name, callId, durationMs, result });
    }
    if (number !== null) {
      const { isError } = result;
      emitTo(state.observers, { type: 'result', time: wallNow(), call: number, isError });
    }
    return result;
  }

  /** Reports a call to the observers. Returns its number; `null` without observers. */
  function observedCall({ callId }: CallContext): number | null {
    if (state.observers.size === 0) return null;
    const call = nextCall();
    const { dialect } = state;
    const id = callId === undefined || callId === null ? null : String(callId);
    emitTo(state.observers, { type: 'call', time: wallNow(), call, tool: name, dialect, callId: id });
    return call;
  }

  async function attempt(
    args: unknown,
    context: CallContext,
    number: number | null,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    if (state.durable !== null) await state.durable.adopt();
    if (state.disposal.aborted) return refuse(DISPOSED);
    milliseconds('yieldMs', context.yieldMs ?? undefined);
    const text = argumentsOf(args);
    const hasAsked = context.approvalToken !== undefined;
    const plan = planned(text, state.approve !== undefined || hasAsked);
    if (plan.refusal || plan.action === undefined) return resultOf(plan.refusal as ToolAnswer, {});
    const action = await ready(plan.action, signal);
    if (action === null) return notDone(text, nothingRun('aborted', ABORTED));
    const call: ToolCall = { tool: name, ownName, args, text, context, number, signal };
    const denial = await approved(action, call, state);
    if (denial !== null) return notDone(text, denial);
    await makeParents(action, state);
    if (signal.aborted) return notDone(text, nothingRun('aborted', ABORTED));
    const updates = updatesFor(context);
    call.started = startListener(name, context, updates, state);
    call.opened = updates && ((terminalId) => updates.open(terminalId));
    let goesOn = false;
    try {
      const caller = { dialect: state.dialect, tool: name, callId: context.callId };
      const cause = { ids: caller, call: number ?? undefined, observers: state.observers };
      const { outcome, result, fault, ...ids } = await withCause(cause, () => perform(action, state, call));
      const answered = answer(text, outcome, { run: result, ...ids }, plan.dialect);
      if (!state.isOriginal) state.durable?.addNotices(answered);
      goesOn = updates !== undefined && inBackground(updates, outcome);
      if (fault === undefined) return answered;
      return Object.assign(answered, { text: errorText(`${fault}\n${answered.text}`), isError: true });
    } finally {
      if (!goesOn) updates?.stop();
    }
  }

  /** Goes on with the updates of a call whose command is a job from now on. Returns whether it does. */
  function inBackground(updates: Updates, outcome: CommandOutcome | CompoundOutcome): boolean {
    if (!state.updates.inBackground || !('job' in outcome) || outcome.job === undefined) return false;
    const entry = state.entries.get(outcome.job);
    // Processes that a command has left are a job too, but the answer has the end of the command.
    if (entry === undefined || outcome.status !== 'background') return false;
    updates.resume(entry.job);
    inside.over(entry.job).then((over) => {
      const run = over as RunResult;
      const { text, isError, data } = endOfJob(entry, run, state).answer;
      const jobState = run.status === 'exited' && run.exitCode === 0 ? 'completed' : 'failed';
      const job = { id: entry.job.id, state: jobState } as const;
      const own = resultOf({ text, isError, data }, { run, jobId: job.id });
      const result = redacted(own, state.redactor());
      updates.end({ done: true, text: result.text, tail: lastLine(result.text), job, result });
    });
    return true;
  }

  /**
   * Returns the action of a call, or its refusal, and the dialect that answers it. Where nobody can be asked
   * for more than the sandbox gives, that is the dialect whose commands may not ask.
   */
  function planned(text: string, hasSomebody: boolean): Plan {
    const canAsk = hasSomebody && state.policy?.mode !== 'dontAsk';
    const plan = planBy(state.current(), text);
    return canAsk || !asksForMore(plan.action) ? plan : planBy(state.confined(), text);
  }

  function planBy(dialect: NativeDialect, text: string): Plan {
    const { action, refusal } = dialect.plan(ownName, text);
    return { dialect, action: action && JSON.parse(action), refusal };
  }

  /**
   * Fills in the host's part before the approval, so that the approved action is the one that runs. Resolves
   * with `null` after an abort.
   */
  async function ready(action: Action, signal: AbortSignal): Promise<ReadyAction | null> {
    const complete = mayHaveUrls(action)
      ? await unlessAborted(signal, () => withPaths(action, state.own), null)
      : action;
    return complete && Object.assign(complete, { escalation: escalationOf(complete, state) });
  }

  function updatesFor({ onUpdate, callId }: CallContext): Updates | undefined {
    if (typeof onUpdate !== 'function' && !state.hasListener('update')) return undefined;
    const listener = dropAfterThrow(onUpdate);
    const notify = (update: ToolUpdate) => {
      if (state.hasListener('update')) state.emit('update', { tool: name, callId, update });
      listener(update);
    };
    return new Updates(notify, state.updates, (text) => state.native.clean(text));
  }

  function answer(
    text: string,
    outcome: Outcome,
    more: More,
    dialect: NativeDialect = state.native,
  ): ToolResult {
    const { stdout, stderr, ...own } = outcome;
    const rest: typeof own & { chunkId?: string; time?: string } = own;
    // Dialects are pure, so random ids and times are made here.
    if (state.profile.hasAnswerId) {
      const { randomBytes } = require('node:crypto') as typeof import('node:crypto');
      rest.chunkId = randomBytes(3).toString('hex');
    }
    if (state.profile.hasAnswerTime) rest.time = new Date().toISOString();
    return resultOf(dialect.answer(ownName, text, JSON.stringify(rest), stdout, stderr), more);
  }

  /** Returns the answer to a call that did nothing. */
  function notDone(text: string, outcome: CommandOutcome): ToolResult {
    return answer(text, { ...outcome, of: 'refused' }, {});
  }

  /** Returns the text of an error that the dialect has no words for. */
  function errorText(message: string): string {
    return state.native.clean(`Error: ${message}`);
  }

  /** Returns the answer to a call that can't be made, whatever its arguments are. */
  function refuse(message: string): ToolResult {
    return notDone('{}', nothingRun('failed', message));
  }

  /** Returns the dialect's answer, or a plain one if the dialect fails. */
  function answerSafely(args: unknown, outcome: CommandOutcome): ToolResult {
    for (const given of [args, {}]) {
      try {
        return notDone(argumentsOf(given), outcome);
      } catch {
        // Reading the arguments may be what threw.
      }
    }
    return { text: errorText(outcome.error ?? ''), isError: true, data: null };
  }

  return tool;
}

const DISPOSED = 'this toolset has been disposed of';

/** Returns the outcome of a call that ended with an error before anything ran. */
function failed(error: unknown): CommandOutcome {
  const errorCode = error instanceof NotJson ? 'NOT_JSON' : undefined;
  return { ...nothingRun('failed', messageOf(error)), errorCode };
}

/** Returns the result for the caller. Properties that are not for a prompt are not enumerable. */
function resultOf({ text, isError, data }: ToolAnswer, { run, jobId, terminalId }: More): ToolResult {
  const result: ToolResult = { text, isError, data: JSON.parse(data) };
  if (jobId !== undefined) result.jobId = jobId;
  if (terminalId !== undefined) result.terminalId = terminalId;
  if (run !== undefined) Object.defineProperty(result, 'run', { value: run, enumerable: false });
  return result;
}

function standard(
  inputSchema: JSONSchema,
  outputSchema: JSONSchema,
  validate: StandardProps['validate'],
): StandardProps {
  const copyOf = (schema: JSONSchema) => () => structuredClone(schema) as Record<string, unknown>;
  return Object.freeze({
    version: 1,
    vendor: 'agent-bash',
    validate,
    jsonSchema: Object.freeze({ input: copyOf(inputSchema), output: copyOf(outputSchema) }),
  });
}

export { FAIL, makeTool };
