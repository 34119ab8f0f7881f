// The scenarios, in the order of the tables.

import { choose } from './options.mjs';
import { scenarioFile } from './places.mjs';

const NAMES = [
  'one-true',
  'one-true-1gib',
  'bash-true',
  'at-once',
  'at-once-1gib',
  'ascii',
  'ascii-8kib',
  'wide',
  'lines',
  'view',
  'tool',
  'mcp-start',
  'bulk-stream',
  'bulk-bytes',
  'first-call',
  'first-call-require',
  'first-call-bash',
  'first-call-sandbox',
  'idle',
  'idle-jobs',
  'kill-one',
  'kill-tree',
  'beside-a-tree',
  'sleeps',
  'growth',
  'growth-sandbox',
  'session-bash',
  'session-zsh',
  'session-dash',
  'terminal-true',
  'terminal-line',
  'terminal-bulk',
  'waiting',
  'ready',
];

/**
 * Each exports: title; metrics, the first of which makes the ratios; measure(load, peerFile); and maybe
 * limit, the arguments of a limit program; rounds, the most it is worth; shell, the words of another shell;
 * peers, the only ones, or also, those that come to the others. */
export async function loadScenarios(only) {
  return Promise.all(
    choose(only, NAMES).map(async (name) => ({ name, ...(await import(scenarioFile(name))) })),
  );
}
