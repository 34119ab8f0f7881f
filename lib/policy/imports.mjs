import { joinWords } from '../addon/native.mjs';
import { invalid, isRecord } from '../options/checks.mjs';
import { compile } from './policy.mjs';

const LISTS = ['allow', 'ask', 'deny'];
const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'];

/**
 * Converts the `Bash` rules of Claude Code's settings. Returns the policy and what could not be converted.
 */
function policyFromClaudeSettings(settings) {
  const value = parsed('settings', settings);
  const permissions = isRecord(value.permissions) ? value.permissions : {};
  const policy = { mode: 'default', allow: [], ask: [], deny: [] };
  const skipped = [];
  const { defaultMode } = permissions;
  if (MODES.includes(defaultMode)) policy.mode = defaultMode;
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
      if (reason === undefined) policy[list].push(converted);
      else skipped.push({ from: `permissions.${list}[${index}]`, value: rule, reason });
    }
  }
  return { policy, skipped };
}

/** Returns the equally strict rule for a rule of Claude Code, or the reason why there is none. */
function ofClaude(rule) {
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
    return { reason: error.message.replace(/^.*?': /, '').replace(/, got .*$/, '') };
  }
}

/**
 * Returns why a pattern of Claude Code, which matches text, means something else here, where it matches
 * words.
 */
function differenceOf(pattern) {
  const body = pattern.replace(/:\*$/, '');
  const [first] = body.split(/\s/, 1);
  if (first.includes('=')) return 'it is about a variable before the command';
  if (first.includes(':') && !first.includes('/')) return 'a colon in its first word divides two words here';
  if (/["'\\]/.test(body)) return 'its quotes and backslashes are text there';
  const inside = body.replace(/[^\s*]\*$/, '').split(/\s+/);
  const isPart = (word) => word.includes('*') && word !== '*';
  if (inside.some(isPart)) return 'a star inside of a word stands for several words there';
  return undefined;
}

const DECISIONS = {
  allow: 'allow',
  prompt: 'ask',
  ask: 'ask',
  forbidden: 'deny',
  forbid: 'deny',
  deny: 'deny',
};

/** Converts codex's prefix rules, given as JSON: `[{ pattern: ['git', 'push'], decision: 'prompt' }]`. */
function policyFromCodexRules(rules) {
  const value = parsed('rules', rules, true);
  const list = Array.isArray(value) ? value : (value.rules ?? value.prefix_rules);
  if (!Array.isArray(list)) throw invalid('rules', 'an array of prefix rules', rules);
  const policy = { mode: 'default', allow: [], ask: [], deny: [] };
  const skipped = [];
  for (const [index, entry] of list.entries()) {
    const skip = (reason) => skipped.push({ from: `rules[${index}]`, value: entry, reason });
    if (!isRecord(entry) || !Array.isArray(entry.pattern ?? entry.prefix)) {
      skip('it has no pattern of words');
      continue;
    }
    const target = DECISIONS[entry.decision ?? 'allow'];
    if (target === undefined) {
      skip('its decision is not known');
      continue;
    }
    const pattern = entry.pattern ?? entry.prefix;
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
function alternatives(pattern) {
  let all = [[]];
  for (const word of pattern) {
    const choices = Array.isArray(word) ? word : [word];
    if (choices.length === 0 || !choices.every((choice) => typeof choice === 'string' && choice !== ''))
      return null;
    all = all.flatMap((words) => choices.map((choice) => [...words, choice]));
    if (all.length > 1_000) return null;
  }
  return all;
}

function parsed(name, value, mayBeArray = false) {
  let result = value;
  if (typeof value === 'string') {
    try {
      result = JSON.parse(value);
    } catch {
      throw invalid(name, 'JSON', value);
    }
  }
  if (!isRecord(result) && !(mayBeArray && Array.isArray(result)))
    throw invalid(name, mayBeArray ? 'an array of rules or its JSON' : 'an object or its JSON', value);
  return result;
}

export { policyFromClaudeSettings, policyFromCodexRules };
