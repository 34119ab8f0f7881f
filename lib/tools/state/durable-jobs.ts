// The jobs of a toolset that outlive it, and those of earlier sessions.

import type { DurableInfo } from '../../durable/api.ts';
import type { DurableTable } from '../../durable/durable-table.ts';
import { durationText, lostText, stateOf, timeText } from '../../durable/texts.ts';
import { inside } from '../../job/job.ts';
import type { Jobs } from '../../jobs.ts';
import { messageOf } from '../../support/message-of.ts';
import type { ToolResult } from '../api/definition.ts';
import type { JobEntries, JobEntry } from './job-entries.ts';

/** The output of a job of an earlier session that the toolset has, before its own (bytes). */
const BEFORE = 1024 * 1024;

/**
 * The ended jobs of earlier sessions that a model hears of: how many, how long ago they ended, and how long
 * they ran at least (ms). The session itself has seen the ends of short ones.
 */
const MAX_ENDED = 5;
const MAX_AGE = 24 * 60 * 60 * 1000;
const MIN_RUN = 10_000;

/** The defaults of `deadline` and `unattended` (ms). */
const DEADLINE = 24 * 60 * 60 * 1000;
const UNATTENDED = 8 * 60 * 60 * 1000;

/** The longest part of a command in a notice (characters). */
const MAX_COMMAND = 80;

/** The durable jobs of a toolset, and the sentences about them that the model has not read yet. */
class DurableJobs {
  #durable: DurableTable;
  #table: Jobs;
  #entries: JobEntries;
  #sandbox: string | undefined;
  #adoption: Promise<void> | undefined;
  #notices: string[] = [];

  /** @param sandbox the sandbox of the toolset's commands, which an earlier job may lack, if there is one */
  constructor(durable: DurableTable, table: Jobs, entries: JobEntries, sandbox: unknown) {
    this.#durable = durable;
    this.#table = table;
    this.#entries = entries;
    this.#sandbox = sandbox === undefined ? undefined : JSON.stringify(sandbox);
  }

  /** Attaches to the jobs of earlier sessions, once. */
  adopt(): Promise<void> {
    this.#adoption ??= this.#adopt();
    return this.#adoption;
  }

  /** Notes that a job was started, about whose life the answer tells. */
  started({ id, job }: JobEntry): void {
    const info = job.durable;
    if (inside.durable(job) === undefined || info?.end || job.status !== 'running') return;
    const { deadline = DEADLINE, unattended = UNATTENDED } = this.#durable.settings;
    // The launch may still be under way.
    const endsAt = info?.endsAt ?? Date.now() + deadline;
    const name = id === job.id ? id : `${id} (${job.id})`;
    const until = `until ${timeText(endsAt)}, or ${durationText(unattended)} without a session`;
    this.#notices.push(`Job ${name} outlives this session, ${until}.`);
  }

  /** Adds the sentences to an answer, unless that is JSON, which programs read. */
  addNotices(result: ToolResult): void {
    if (this.#notices.length === 0 || isJson(result.text)) return;
    const notices = this.#notices.splice(0).join('\n');
    result.text = `${result.text.replace(/\n+$/, '')}\n\n${notices}`;
  }

  async #adopt(): Promise<void> {
    try {
      const now = Date.now();
      const all = await this.#durable.find();
      const others = all.filter(({ id, elsewhere }) => !elsewhere && this.#table.get(id) === undefined);
      const ended = others.filter((info) => isWorthTelling(info, now)).slice(-MAX_ENDED);
      const wanted = others.filter((info) => info.end === null || ended.includes(info));
      const told: string[] = [];
      const lost: string[] = [];
      for (const info of wanted) {
        const id = await this.#add(info);
        if (info.end?.cause === 'lost') lost.push(lostText({ ...info, id }));
        else told.push(`${id}${nameOf(info)} "${shortened(info.command)}" ${stateOf(info, now)}`);
      }
      if (told.length > 0) this.#notices.push(`Jobs of an earlier session: ${told.join('; ')}.`);
      this.#notices.push(...lost);
    } catch (error) {
      this.#notices.push(`The jobs of earlier sessions could not be read: ${messageOf(error)}`);
    }
  }

  /** Attaches to a job. Returns the id by which the model knows it; its own if there can be no attachment. */
  async #add(info: DurableInfo): Promise<string> {
    try {
      const isTerminal = info.pty !== null;
      const since = isTerminal ? 0 : Math.max(0, info.totalBytes - BEFORE);
      const job = await this.#durable.attach(info.id, { since });
      job.unref();
      const isOpen = info.input || isTerminal;
      const asksFirst = isOpen && this.#isOther(info);
      return this.#entries.add(job, { label: info.name, isOpen, isTerminal, asksFirst }).id;
    } catch {
      // The table is full, or the job has gone.
      return info.id;
    }
  }

  /** Returns whether a job has another sandbox than the commands of the toolset. */
  #isOther({ sandbox }: DurableInfo): boolean {
    if (this.#sandbox === undefined) return false;
    return sandbox === null || JSON.stringify(sandbox.options) !== this.#sandbox;
  }
}

function isWorthTelling({ end, startedAt }: DurableInfo, now: number): boolean {
  if (end === null || now - end.at > MAX_AGE) return false;
  return end.cause === 'lost' || end.at - startedAt >= MIN_RUN;
}

function nameOf({ name }: DurableInfo): string {
  return name === null ? '' : ` ${name}`;
}

function shortened(command: string): string {
  const line = command.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND)}…` : line;
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export { DurableJobs };
