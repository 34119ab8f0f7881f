// The rules of allowed hosts: the entries of `sandbox.network.allow` that are objects.

import { invalid, isRecord, object, oneOf, wrong } from '../options/checks.ts';
import type { Secret } from './api.ts';
import { presetOf } from './presets.ts';
import { headersOf, secret } from './secret.ts';

/** The rules of one host, checked. */
export interface HostRule {
  /** A name or an address, with a port. */
  host: string;
  credential: string | undefined;
  headers: [string, Secret][];
  methods: string[] | undefined;
  paths: string[] | undefined;
  masks: boolean;
  isPlain: boolean;
}

/** A list of allowed hosts, taken apart. */
export interface TakenRules {
  /** The hosts of all entries, as the addon takes them. */
  allow: string[];
  rules: HostRule[];
}

const ENTRY = ['host', 'credential', 'headers', 'methods', 'paths', 'responses', 'plain'] as const;

/** The most rules of a list. */
const MAX_RULES = 256;

const METHOD = /^[A-Z][A-Z-]{0,31}$/;

/** Methods that no rule permits: one repeats the headers of a request, the other one opens a tunnel. */
const NEVER = ['TRACE', 'CONNECT'];

/** The longest pattern of a path (characters). */
const MAX_PATH = 1024;

/** Takes a list of allowed hosts apart. The addon checks the names. */
function rulesIn(name: string, allow: readonly unknown[]): TakenRules {
  const hosts: string[] = [];
  const rules: HostRule[] = [];
  for (const [index, entry] of allow.entries()) {
    if (typeof entry === 'string') hosts.push(entry);
    else rules.push(...rulesOf(`${name}[${index}]`, entry));
  }
  if (rules.length > MAX_RULES) {
    throw wrong(`Invalid option '${name}': expected at most ${MAX_RULES} rules, got ${rules.length}`);
  }
  const ruled = new Set(rules.map(({ host }) => canonical(host)));
  const both = hosts.find((host) => ruled.has(canonical(host)));
  if (both !== undefined) {
    throw wrong(`Invalid option '${name}': '${both}' has rules, and can't be listed without`);
  }
  return { allow: [...hosts, ...new Set(rules.map(({ host }) => host))], rules };
}

function rulesOf(name: string, given: unknown): HostRule[] {
  if (!isRecord(given))
    throw invalid(name, "a host with a port, such as 'registry.example:443', or rules", given);
  const entry = object(name, given, ENTRY);
  const { host, credential, headers, methods, paths } = entry;
  if (credential !== undefined && typeof credential !== 'string') {
    throw invalid(`${name}.credential`, 'the name of a credential', credential);
  }
  const responses = oneOf(`${name}.responses`, entry.responses, ['masked', 'unchecked']);
  const rule = {
    credential,
    headers: headers === undefined ? [] : headersOf(`${name}.headers`, headers, secret),
    methods: methods === undefined ? undefined : methodsOf(`${name}.methods`, methods),
    paths: paths === undefined ? undefined : pathsOf(`${name}.paths`, paths),
    masks: responses !== 'unchecked',
    isPlain: oneOf(`${name}.plain`, entry.plain, [true, undefined]) === true,
  };
  return hostsOf(name, host, credential).map((each) => ({ ...rule, host: each }));
}

/** Returns the host of an entry, or those of the preset that the entry names. */
function hostsOf(name: string, host: unknown, credential: string | undefined): string[] {
  if (host === undefined) {
    const preset = credential === undefined ? undefined : presetOf(credential);
    if (preset !== undefined) return Object.keys(preset.hosts).map(withPort);
  }
  if (typeof host !== 'string') {
    throw invalid(`${name}.host`, "a name, such as 'registry.example' or 'registry.example:8443'", host);
  }
  return [withPort(host)];
}

/** Returns a host with a port: that of https, if there is none. */
function withPort(host: string): string {
  return /:\d+$/.test(host.replace(/^\[.*\]/, '')) ? host : `${host}:443`;
}

/** Returns the form of a host by which two are compared. */
function canonical(host: string): string {
  return host.toLowerCase().replace(/\.(?=:\d+$)/, '');
}

function methodsOf(name: string, given: unknown): string[] {
  const isMethod = (each: unknown) => typeof each === 'string' && METHOD.test(each) && !NEVER.includes(each);
  if (!Array.isArray(given) || given.length === 0 || !given.every(isMethod)) {
    throw invalid(name, "a list of methods in capitals, such as ['GET', 'POST']", given);
  }
  return [...given];
}

function pathsOf(name: string, given: unknown): string[] {
  if (!Array.isArray(given) || given.length === 0 || !given.every(isPath)) {
    throw invalid(name, "a list of paths without queries, such as ['/v1/messages', '/me/app.git/**']", given);
  }
  return [...given];
}

/** Returns whether a text is a pattern of paths: `**` stands at its end alone. */
function isPath(given: unknown): boolean {
  if (typeof given !== 'string' || given.length > MAX_PATH || !/^\/[!-~]*$/.test(given)) return false;
  const [first = '', ...rest] = given.split('**');
  const endsWithRest = rest.length === 0 || (rest.length === 1 && rest[0] === '');
  return endsWithRest && !/[?#\\]/.test(first);
}

/** Returns the host of a rule as users write it: 443 is the usual port. */
function withoutUsualPort(host: string): string {
  return host.replace(/:443$/, '');
}

export { rulesIn, withoutUsualPort };
