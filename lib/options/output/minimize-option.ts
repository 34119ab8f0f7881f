import { minimizeRules } from '../../addon/native.ts';
import type { Given } from '../checks.ts';
import { invalid, isRecord, object, oneOf } from '../checks.ts';

/**
 * Checks the option `minimize`, and returns it as JSON for the addon; `undefined` if nothing is to be
 * minimized.
 */
function minimizeSpec(name: string, value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return '{}';
  if (!isRecord(value)) throw invalid(name, 'true, false or an object', value);
  const { only, except, rules } = object(name, value, ['only', 'except', 'rules']);
  const own = rules === undefined ? [] : checkRules(`${name}.rules`, rules);
  const names = [...own, ...minimizeRules()];
  return JSON.stringify({
    only: only === undefined ? undefined : checkNames(`${name}.only`, only, names),
    except: except === undefined ? undefined : checkNames(`${name}.except`, except, names),
    rules,
  });
}

/** Checks names of rules. */
function checkNames(name: string, value: unknown, known: readonly string[]): string[] {
  const names = texts(name, value);
  for (const [index, text] of names.entries()) oneOf(`${name}[${index}]`, text, known);
  return names;
}

/** Checks the rules of a caller. Returns their names. */
function checkRules(name: string, value: unknown): string[] {
  return list(name, value).map((rule, index) => {
    const at = `${name}[${index}]`;
    const given = object(at, rule, ['name', 'commands', 'sign', 'lines']);
    texts(`${at}.commands`, given.commands);
    if (given.sign !== undefined) texts(`${at}.sign`, given.sign);
    for (const [number, line] of list(`${at}.lines`, given.lines).entries()) {
      checkLines(`${at}.lines[${number}]`, object(`${at}.lines[${number}]`, line, OF_LINES));
    }
    return text(`${at}.name`, given.name);
  });
}

function checkLines(name: string, given: Given<(typeof OF_LINES)[number]>): void {
  const { reason, patterns, below, section } = given;
  if (oneOf(`${name}.reason`, reason, REASONS) === undefined) {
    throw invalid(`${name}.reason`, `one of ${REASONS.map((known) => `'${known}'`).join(', ')}`, reason);
  }
  if (patterns !== undefined) texts(`${name}.patterns`, patterns);
  if (below !== undefined) texts(`${name}.below`, below);
  if (section !== undefined) text(`${name}.section`, section);
  if (patterns === undefined && below === undefined) {
    throw invalid(`${name}.patterns`, "a list of patterns, or one of directories as 'below'", patterns);
  }
}

function list(name: string, value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length > MAX_RULES) {
    throw invalid(name, `a list of at most ${MAX_RULES} entries`, value);
  }
  return value;
}

function texts(name: string, value: unknown): string[] {
  return list(name, value).map((entry, index) => text(`${name}[${index}]`, entry));
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT) {
    throw invalid(name, `a string of 1 to ${MAX_TEXT} characters`, value);
  }
  return value;
}

const OF_LINES = ['reason', 'patterns', 'below', 'section'] as const;

const REASONS = ['progress', 'passed tests', 'built', 'repeated', 'generated files', 'notices'] as const;

/** The most entries of a list: more than the package has itself, so that each line is compared in no time. */
const MAX_RULES = 200;

/** The longest name or pattern (UTF-16 code units): that of a line. */
const MAX_TEXT = 1_000;

export { minimizeSpec };
