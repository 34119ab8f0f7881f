// `agent-bash jobs`: the durable jobs of this user.

import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { DurableInfo, SignalName } from 'agent-bash';
import { Jobs } from 'agent-bash';
import { stateOf } from '../../durable/texts.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import type { OptionTable } from '../arguments.ts';
import { offset, readOptions, UsageError } from '../arguments.ts';
import { explainHint } from '../help.ts';
import { interrupted } from '../interrupted.ts';
import { attachHere, encodingOf, printOutput } from '../jobs/attach-here.ts';
import { linesOf } from '../jobs/job-lines.ts';

interface JobsValues {
  all?: boolean;
  json?: boolean;
  since?: number;
  follow?: boolean;
  signal?: SignalName;
  noEnter?: boolean;
  directory?: string;
}

/** An action on durable jobs: the options and the words that it takes. */
interface JobsAction {
  options: (keyof JobsValues)[];
  /** The words behind the name of the action, for messages. */
  takes: string[];
  act: (context: ActionContext) => Promise<number>;
}

interface ActionContext {
  jobs: Jobs;
  values: JobsValues;
  /** The words that the action takes. */
  words: string[];
}

const OPTIONS: OptionTable<JobsValues> = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  since: { read: offset },
  follow: { type: 'boolean' },
  signal: {},
  'no-enter': { type: 'boolean' },
  directory: {},
};

const ACTIONS: Record<string, JobsAction> = {
  list: { options: ['all', 'json'], takes: [], act: list },
  read: { options: ['since', 'follow'], takes: ['ID'], act: read },
  attach: { options: [], takes: ['ID'], act: attach },
  wait: { options: [], takes: ['ID'], act: wait },
  write: { options: ['noEnter'], takes: ['ID', 'TEXT'], act: write },
  kill: { options: ['all', 'signal'], takes: ['ID'], act: kill },
  sweep: { options: [], takes: [], act: sweep },
};

/** The names of the actions, for the completion. */
const WORDS: string[] = Object.keys(ACTIONS);

/** Exit code for a job that there is not, and whatever else keeps an action from being done. */
const FAILED = 1;

/** Implements `agent-bash jobs [ACTION]`. Returns the exit code. */
async function jobsCommand(words: string[]): Promise<number> {
  const { values, words: given } = readOptions('jobs', words, OPTIONS);
  const [name = 'list', ...rest] = given;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(`unknown action '${name}': expected one of ${WORDS.join(', ')}`, 'jobs');
  checkAction(name, action, values, rest);
  const { directory } = values;
  const jobs = openJobs(directory === undefined ? undefined : resolve(directory));
  try {
    return await action.act({ jobs, values, words: rest });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!/^(DURABLE_|ERR_UNKNOWN_SIGNAL)/.test(String(code))) throw error;
    process.stderr.write(`agent-bash: ${message}\n${explainHint(String(code))}`);
    return FAILED;
  } finally {
    await jobs.release();
  }
}

function openJobs(directory: string | undefined): Jobs {
  try {
    return new Jobs({ durable: directory === undefined ? true : { directory } });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_FEATURE_UNAVAILABLE') throw error;
    throw new UsageError(message, 'jobs');
  }
}

function checkAction(
  name: string,
  { options, takes }: JobsAction,
  values: JobsValues,
  words: string[],
): void {
  const allowed = ['directory', ...options];
  const other = Object.keys(values).find((option) => !allowed.includes(option));
  if (other !== undefined) throw new UsageError(`jobs ${name} has no --${other}`, 'jobs');
  const isAll = name === 'kill' && values.all === true;
  const wanted = isAll ? [] : takes;
  if (words.length < wanted.length) throw new UsageError(`jobs ${name} needs ${wanted.join(' ')}`, 'jobs');
  if (words.length > wanted.length) throw new UsageError(`unexpected '${words[wanted.length]}'`, 'jobs');
}

async function list({ jobs, values }: ActionContext): Promise<number> {
  const found = await jobs.find({ all: true, running: values.all ? undefined : true });
  if (values.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else if (found.length > 0) process.stdout.write(linesOf(found));
  else
    process.stderr.write(values.all ? 'There are no durable jobs.\n' : 'No durable job runs; see --all.\n');
  return 0;
}

/** Prints the output that is kept; with `--follow`, also what comes, until the end of the job. */
async function read({ jobs, values, words: [id] }: ActionContext): Promise<number> {
  const { since = 0, follow } = values;
  const info = await infoOf(jobs, id);
  const job = await jobs.attach(info.id, { since, encoding: encodingOf(info) });
  const signal = interrupted();
  signal.addEventListener('abort', () => job.detach());
  const isWhole = follow || info.end !== null;
  const printed = await printOutput(job, isWhole ? undefined : info.totalBytes - since);
  if (!isWhole) job.detach();
  const { durable = info } = await job.result;
  const dropped = isWhole ? durable.totalBytes - since - printed : 0;
  if (dropped > 0 && !signal.aborted) {
    process.stderr.write(`agent-bash: ${dropped.toLocaleString('en')} bytes are no longer kept\n`);
  }
  return signal.aborted ? codeOf(signal) : 0;
}

async function attach({ jobs, words: [id] }: ActionContext): Promise<number> {
  const info = await infoOf(jobs, id);
  if (info.end !== null)
    throw new UsageError(`the job ${id} ${stateOf(info)}; jobs read ${id} has its output`, 'jobs');
  const signal = interrupted();
  const result = await attachHere(jobs, info, signal);
  if (result.status !== 'background') return exitCodeOf(result);
  process.stderr.write(`agent-bash: detached; the job ${id} runs on\n`);
  return 0;
}

/** Waits for the end of a job, and exits as it. */
async function wait({ jobs, words: [id] }: ActionContext): Promise<number> {
  const info = await infoOf(jobs, id);
  const job = await jobs.attach(info.id);
  const signal = interrupted();
  signal.addEventListener('abort', () => job.detach());
  const result = await job.result;
  if (signal.aborted) return codeOf(signal);
  if (result.error !== null) process.stderr.write(`agent-bash: ${result.error.message}\n`);
  return result.error?.code === 'DURABLE_LOST' ? FAILED : exitCodeOf(result);
}

async function write({ jobs, values, words: [id, text] }: ActionContext): Promise<number> {
  const info = await infoOf(jobs, id);
  const job = info.end === null ? await jobs.attach(info.id) : null;
  const input = job?.stdin ?? null;
  if (input === null) {
    const reason = info.end === null ? 'takes no input' : stateOf(info);
    process.stderr.write(`agent-bash: the job ${id} ${reason}\n`);
    return FAILED;
  }
  const enter = values.noEnter ? '' : info.pty === null ? '\n' : '\r';
  const error = await new Promise((settle) => input.write(`${text}${enter}`, settle));
  return error === undefined || error === null ? 0 : FAILED;
}

/** The signals that end a job. The job gets others and goes on. */
const ENDING = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** The time between two looks at a job that ends (ms). */
const LOOK_MS = 50;

async function kill({ jobs, values, words }: ActionContext): Promise<number> {
  const { all, signal = 'SIGTERM' } = values;
  const found = all ? await jobs.find({ all: true, running: true }) : [await infoOf(jobs, words[0])];
  const running = found.filter(({ end, elsewhere }) => end === null && !elsewhere);
  if (!ENDING.includes(signal)) {
    for (const { id } of running) (await jobs.attach(id)).kill(signal);
    return 0;
  }
  await Promise.all(running.map(({ id }) => jobs.stop(id, signal)));
  for (const { id } of running) {
    let info = await infoOf(jobs, id);
    while (info.end === null) {
      await setTimeout(LOOK_MS);
      info = await infoOf(jobs, id);
    }
    process.stderr.write(`${id} ${stateOf(info)}\n`);
  }
  for (const info of found)
    if (!running.includes(info)) process.stderr.write(`${info.id} ${stateOf(info)}\n`);
  return 0;
}

async function sweep({ jobs }: ActionContext): Promise<number> {
  const removed = await jobs.sweep();
  process.stderr.write(`Removed ${removed} ended job${removed === 1 ? '' : 's'}.\n`);
  return 0;
}

/** Returns what is known of the job that an id, or the name of a running job, means. */
async function infoOf(jobs: Jobs, wanted = ''): Promise<DurableInfo> {
  const all = await jobs.find({ all: true });
  const found = all.find(({ id }) => id === wanted);
  const named = all.filter(({ name, end }) => name === wanted && end === null);
  const info = found ?? (named.length === 1 ? named[0] : undefined);
  if (info !== undefined) return info;
  const hint =
    named.length > 1 ? `several jobs have the name ${wanted}` : `there is no durable job ${wanted}`;
  throw Object.assign(new Error(hint), { code: 'DURABLE_NOT_FOUND' });
}

/** Returns the exit code of a program that a signal has ended. */
function codeOf({ reason }: AbortSignal): number {
  return 128 + (constants.signals[reason as NodeJS.Signals] ?? 0);
}

export { jobsCommand as act, OPTIONS, WORDS };
