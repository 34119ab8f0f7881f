// Finds the parts of a text that get names: tokens, paths, ids, and the files of this package.

import { tmpdir } from 'node:os';
import { NUMBERED_FILE, SESSION_FILE } from '../../support/shared-folder.ts';

/** A part of a text that a name replaces. */
export interface Span {
  start: number;
  end: number;
  name: string;
}

/** Known forms of tokens. */
export const TOKENS: RegExp =
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|sk-[\w-]{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|npm_[A-Za-z0-9]{30,}|AIza[\w-]{35}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;

export const UUID: RegExp = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** The texts before a pid. Most other numbers that are equal to one are none. */
export const ABOUT_PIDS: RegExp =
  /(?:\bpid\W{1,3}|\[\d+\] |\bkill (?:-\w+ )?(?:-- )?-?|\/proc\/|\bwait |-p ?)$/i;

/** A path in a directory for temporary files. */
export const TEMPORARY: RegExp = new RegExp(
  `(?:${[...new Set([tmpdir(), '/tmp', '/var/tmp'])].map(escapedPattern).join('|')})(?:/[\\w.-]+)+`,
  'g',
);

/**
 * Returns the part of a path up to its last name that looks random, as those of `mkdtemp`; empty without one.
 */
export function randomPart(path: string): string {
  const names = path.split('/');
  const last = names.findLastIndex((name) => {
    const end = /[A-Za-z0-9]{6}$/.exec(name)?.[0] ?? '';
    return [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(end)).length > 1;
  });
  return names.slice(0, last + 1).join('/');
}

/** The path of a file by which this package and a command exchange something. */
export const OWN_FILE: RegExp = new RegExp(NUMBERED_FILE, 'g');

export function ownFiles(text: string): Span[] {
  return [...text.matchAll(OWN_FILE)].map(({ 0: path, index }) => ({
    start: index,
    end: index + path.length,
    name: '<own>',
  }));
}

const FILE_OF_SESSION = new RegExp(SESSION_FILE, 'g');

/** Finds the files of a session, of which the errors of a shell tell. */
export function sessionFiles(text: string): Span[] {
  return [...text.matchAll(FILE_OF_SESSION)].map(({ 0: path, index }) => ({
    start: index,
    end: index + path.length,
    name: `<session:${path.slice(path.lastIndexOf('/') + 1)}>`,
  }));
}

/** Finds what is a name already, so that a replay does not take it for one. */
export function escapes(text: string): Span[] {
  const names = /<(?=(?:root|home|own|lt|secret:[^>]*|(?:tmp|uuid|pid):\d+|(?:hole|session):[\w-]+)>)/g;
  return [...text.matchAll(names)].map(({ index }) => ({ start: index, end: index + 1, name: '<lt>' }));
}

/** Returns a text with names in the places of spans, of which the first of two that overlap counts. */
export function replaced(text: string, spans: Span[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, name } of spans) {
    if (start < at) continue;
    result += text.slice(at, start) + name;
    at = end;
  }
  return result + text.slice(at);
}

export function positions(text: string, value: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) found.push(at);
  return found;
}

function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
