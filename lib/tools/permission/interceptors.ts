// The options `interceptors` and `tools` of a toolset. The addon parses the patterns.

import type { Given } from '../../options/checks.ts';
import { invalid, isRecord, object } from '../../options/checks.ts';
import type { InterceptorRule } from '../api/options.ts';
import { names } from '../options/own-options.ts';

const KEYS = ['pattern', 'flags', 'tool', 'message'] as const;
const REQUIRED: readonly string[] = ['pattern', 'tool', 'message'];

/** The settings of a dialect for its interceptors. */
export interface Interceptors {
  interceptors?: true | InterceptorRule[];
  tools?: string[];
}

/** Checks both options, and converts them for the addon. */
function interceptorOptions({ interceptors, tools }: Given<'interceptors' | 'tools'>): Interceptors {
  const known = names('options.tools', tools);
  const others = known && { tools: [...known] };
  if (interceptors === undefined || interceptors === false) return { ...others };
  if (interceptors !== true && !Array.isArray(interceptors)) {
    throw invalid('options.interceptors', 'true, false or a list of rules', interceptors);
  }
  if (known === undefined) {
    throw invalid('options.tools', "the names of the agent's tools, next to interceptors", tools);
  }
  const rules = interceptors === true ? true : interceptors.map(ruleOf);
  return { interceptors: rules, ...others };
}

function ruleOf(rule: unknown, index: number): InterceptorRule {
  const name = `options.interceptors[${index}]`;
  if (!isRecord(rule)) throw invalid(name, 'an object with pattern, tool and message', rule);
  const given = object(name, rule, KEYS);
  for (const key of KEYS) {
    const isFine = typeof given[key] === 'string' || (given[key] === undefined && !REQUIRED.includes(key));
    if (!isFine) throw invalid(`${name}.${key}`, 'a string', given[key]);
  }
  return rule as unknown as InterceptorRule;
}

export { interceptorOptions };
