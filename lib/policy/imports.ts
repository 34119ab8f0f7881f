import { joinWords } from '../addon/native.ts';
import { invalid, isRecord } from '../options/checks.ts';
import type { ImportedPolicy, PolicyMode } from './api.ts';
import { compile } from './policy.ts';

type Skipped = ImportedPolicy['skipped'];

const LISTS = ['allow', 'ask', 'deny'] as const;
const MODES: readonly unknown[] = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'];

/**
 * Converts the `Bash` rules of Claude Code's settings: the object or its JSON.
 *
 * @example
 * const { policy, skipped } = policyFromClaudeSettings(JSON.parse(readFileSync('.claude/settings.json',
 * 'utf8')));
 */
export function policyFromClaudeSettings(settings: unknown): ImportedPolicy {
  const value = parsed('settings', settings);
  const permissions = isRecord(value.permissions) ? value.permissions : {};
  const policy: ImportedPolicy['policy'] = { mode: 'default', allow: [], ask: [], deny: [] };
  const skipped: Skipped = [];
  const { defaultMode } = permissions;
  if (MODES.includes(defaultMode)) policy.mode = defaultMode as PolicyMode;
  else if (defaultMode !== undefined) {
    skipped.push({
      from: 'permissions.defaultMode',
      value: defaultMode,
      reason: 'it has no counterpart here',
    });
  }
  for (const list of LISTS) {
    const rules = permissions[list];
    if (rules === undefined) continue;
    if (!Array.isArray(rules)) {
      skipped.push({ from: `permissions.${list}`, value: rules, reason: 'it is no array' });
      continue;
    }
    for (const [index, rule] of rules.entries()) {
      const { converted, reason } = ofClaude(rule);
      if (converted !== undefined) policy[list].push(converted);
      else skipped.push({ from: `permissions.${list}[${index}]`, value: rule, reason });
    }
  }
  return { policy, skipped };
}

/** Returns the equally strict rule for a rule of Claude Code, or the reason why there is none. */
function ofClaude(
  rule: unknown,
): { converted: string; reason?: undefined } | { converted?: undefined; reason: string } {
  if (typeof rule !== 'string') return { reason: 'it is no string' };
  const text = rule.trim();
  if (!/^Bash\s*(\(|$)/.test(text)) return { reason: 'it is about another tool' };
  const pattern = /^Bash\s*\((.*)\)$/s.exec(text)?.[1].trim();
  const reason = pattern === undefined ? undefined : differenceOf(pattern);
  if (reason !== undefined) return { reason };
  // In Claude Code, a star without a blank before it also stands for the rest of a word.
  const converted = /[^\s*:]\*$/.test(pattern ?? '') ? `Bash(${pattern}* *)` : text;
  try {
    compile({ allow: [converted] });
    return { converted };
  } catch (error) {
    return { reason: (error as Error).message.replace(/^.*?': /, '').replace(/, got .*$/, '') };
  }
}

/**
 * Returns why a pattern of Claude Code, which matches text, means something else here, where it matches
 * words.
 */
function differenceOf(pattern: string): string | undefined {
  const body = pattern.replace(/:\*$/, '');
  const [first] = body.split(/\s/, 1);
  if (first.includes('=')) return 'it is about a variable before the command';
  if (first.includes(':') && !first.includes('/')) return 'a colon in its first word divides two words here';
  if (/["'\\]/.test(body)) return 'its quotes and backslashes are text there';
  const inside = body.replace(/[^\s*]\*$/, '').split(/\s+/);
  const isPart = (word: string) => word.includes('*') && word !== '*';
  if (inside.some(isPart)) return 'a star inside of a word stands for several words there';
  return undefined;
}

const DECISIONS: Partial<Record<string, (typeof LISTS)[number]>> = {
  allow: 'allow',
  prompt: 'ask',
  ask: 'ask',
  forbidden: 'deny',
  forbid: 'deny',
  deny: 'deny',
};

/**
 * Converts prefix rules of codex, as JSON or an array: `[{ pattern: ['git', 'push'], decision: 'prompt' }]`.
 *
 * @example
 * const { policy, skipped } = policyFromCodexRules(rules);
 * const { status } = await run('git push', { policy });
 */
export function policyFromCodexRules(rules: unknown): ImportedPolicy {
  const value: unknown = parsed('rules', rules, true);
  const list = isRecord(value) ? (value.rules ?? value.prefix_rules) : value;
  if (!Array.isArray(list)) throw invalid('rules', 'an array of prefix rules', rules);
  const policy: ImportedPolicy['policy'] = { mode: 'default', allow: [], ask: [], deny: [] };
  const skipped: Skipped = [];
  for (const [index, entry] of list.entries()) {
    const skip = (reason: string) => skipped.push({ from: `rules[${index}]`, value: entry, reason });
    const pattern = isRecord(entry) ? (entry.pattern ?? entry.prefix) : undefined;
    if (!isRecord(entry) || !Array.isArray(pattern)) {
      skip('it has no pattern of words');
      continue;
    }
    const target = DECISIONS[String(entry.decision ?? 'allow')];
    if (target === undefined) {
      skip('its decision is not known');
      continue;
    }
    const prefixes = pattern.length === 0 ? null : alternatives(pattern);
    if (prefixes === null) {
      skip('a word of its pattern is neither a string nor a list of strings');
      continue;
    }
    for (const words of prefixes) policy[target].push(`Bash(${joinWords(words)}:*)`);
  }
  return { policy, skipped };
}

/**
 * Returns every spelling of a pattern in which a list of words stands for any of them; `null` for an invalid
 * pattern.
 */
function alternatives(pattern: unknown[]): string[][] | null {
  let all: string[][] = [[]];
  for (const word of pattern) {
    const choices: unknown[] = Array.isArray(word) ? word : [word];
    if (choices.length === 0 || !choices.every(isWord)) return null;
    all = all.flatMap((words) => choices.map((choice) => [...words, choice]));
    if (all.length > 1_000) return null;
  }
  return all;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function parsed(name: string, value: unknown, mayBeArray = false): Record<string, unknown> {
  let result: unknown = value;
  if (typeof value === 'string') {
    try {
      result = JSON.parse(value);
    } catch {
      throw invalid(name, 'JSON', value);
    }
  }
  if (!isRecord(result) && !(mayBeArray && Array.isArray(result)))
    throw invalid(name, mayBeArray ? 'an array of rules or its JSON' : 'an object or its JSON', value);
  return result as Record<string, unknown>;
}
