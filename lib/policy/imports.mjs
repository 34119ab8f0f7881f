import { invalid, isRecord } from '../options/checks.mjs';
import { compile } from './policy.mjs';

const LISTS = ['allow', 'ask', 'deny'];
const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'];

/** The `Bash` rules of Claude Code's settings, and what could not be taken. */
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
      const reason = faultOf(rule);
      if (reason === null) policy[list].push(rule.trim());
      else skipped.push({ from: `permissions.${list}[${index}]`, value: rule, reason });
    }
  }
  return { policy, skipped };
}

function faultOf(rule) {
  if (typeof rule !== 'string') return 'it is no string';
  if (!/^\s*Bash\s*(\(|$)/.test(rule)) return 'it is about another tool';
  try {
    compile({ allow: [rule] });
    return null;
  } catch (error) {
    return error.message.replace(/^.*?': /, '').replace(/, got .*$/, '');
  }
}

const DECISIONS = {
  allow: 'allow',
  prompt: 'ask',
  ask: 'ask',
  forbidden: 'deny',
  forbid: 'deny',
  deny: 'deny',
};

/** codex's prefix rules, as JSON: `[{ pattern: ['git', 'push'], decision: 'prompt' }]`. */
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
    for (const words of prefixes) policy[target].push(`Bash(${words.map(quoted).join(' ')}:*)`);
  }
  return { policy, skipped };
}

/** Every spelling of a pattern in which a list of words stands for one of them; `null` if it is none. */
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

/** A word as a rule has it. */
function quoted(word) {
  return /^[\w./@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
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
