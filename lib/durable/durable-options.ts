// The options of durable jobs.

import type { DurableSpec } from '../addon/addon-types.ts';
import { refuseOnWindows } from '../addon/missing-addon.ts';
import { cText, integer, invalid, milliseconds, object, oneOf, path, wrong } from '../options/checks.ts';
import type { Row } from '../options/option-table.ts';
import { checkRows, namesOf } from '../options/option-table.ts';
import { absolutePath } from '../support/paths/absolute-path.ts';

/** The checked options: what each start of a durable job has in common. */
export type DurableSettings = Omit<DurableSpec, 'id' | 'attach' | 'since' | 'name' | 'sandbox'> & {
  owner: string;
  root: string;
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** The longest life of a job, and the longest time for which it is kept (ms). */
const MAX_LIFE = 30 * DAY_MS;
const MAX_KEEP = 365 * DAY_MS;

/** The smallest log (bytes): below that, its segments would be shorter than a screen. */
const MIN_LOG = 1024 * 1024;

const ROWS: readonly Row<DurableSettings>[] = [
  { name: 'owner', field: 'owner', check: (name, value) => cText(name, value) },
  { name: 'root', field: 'root', check: path },
  { name: 'directory', field: 'directory', check: path },
  { name: 'deadline', field: 'deadline', check: lifetime },
  { name: 'unattended', field: 'unattended', check: lifetime },
  { name: 'keep', field: 'keep', check: (name, value) => time(name, value, 0, MAX_KEEP) },
  {
    name: 'maxLogBytes',
    field: 'maxLogBytes',
    check: (name, value) => integer(name, value, MIN_LOG, Number.MAX_SAFE_INTEGER, 'bytes'),
  },
  {
    name: 'survive',
    field: 'needsLogout',
    check: (name, value) => oneOf(name, value, ['logout']) === 'logout',
  },
];

/** Checks the option `durable`. Returns `undefined` for a table of ordinary jobs. */
function checkDurable(name: string, value: unknown): DurableSettings | undefined {
  if (value === undefined || value === false) return undefined;
  const given = value === true ? {} : object(name, value, namesOf(ROWS));
  if (process.platform !== 'linux') {
    refuseOnWindows(`'${name}'`);
    throw wrong(`Invalid option '${name}': durable jobs need Linux`, 'ERR_FEATURE_UNAVAILABLE');
  }
  const checked = checkRows(name, given, ROWS, undefined);
  const { XDG_CACHE_HOME, XDG_RUNTIME_DIR } = process.env;
  return {
    owner: '',
    ...checked,
    root: absolutePath(checked.root ?? ''),
    directory: checked.directory === undefined ? usualDirectory() : absolutePath(checked.directory),
    cache: `${absolute(XDG_CACHE_HOME) ?? `${home()}/.cache`}/agent-bash`,
    // A process that cron or su has started has no such variable; a user who lingers has the directory.
    runtime: absolute(XDG_RUNTIME_DIR) ?? `/run/user/${process.geteuid?.()}`,
  };
}

/** Returns the directory of the durable jobs of this user. */
function usualDirectory(): string {
  return `${absolute(process.env.XDG_STATE_HOME) ?? `${home()}/.local/state`}/agent-bash/jobs`;
}

/** Returns the path of a variable of XDG, whose specification says to ignore relative ones. */
function absolute(value: string | undefined): string | undefined {
  return value?.startsWith('/') ? value.replace(/\/+$/, '') : undefined;
}

/** Checks a time that a job lives. */
function lifetime(name: string, value: unknown): number | undefined {
  return time(name, value, 1, MAX_LIFE);
}

function time(name: string, value: unknown, least: number, most: number): number | undefined {
  const expected = `milliseconds from ${least} to ${most} (${most / DAY_MS} days)`;
  const checked = milliseconds(name, value, expected);
  if (checked !== undefined && (checked < least || checked > most)) throw invalid(name, expected, value);
  return checked;
}

function home(): string {
  return (require('node:os') as typeof import('node:os')).homedir();
}

export { checkDurable, lifetime };
