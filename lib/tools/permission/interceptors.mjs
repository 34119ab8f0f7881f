// The options `interceptors` and `tools` of a toolset. The addon parses the patterns.

import { invalid, isRecord, object } from '../../options/checks.ts';
import { names } from '../options/own-options.mjs';

const KEYS = ['pattern', 'flags', 'tool', 'message'];
const REQUIRED = ['pattern', 'tool', 'message'];

/** Checks both options, and converts them for the addon. */
function interceptorOptions({ interceptors, tools }) {
  names('options.tools', tools);
  if (interceptors === undefined || interceptors === false) return {};
  if (interceptors !== true && !Array.isArray(interceptors)) {
    throw invalid('options.interceptors', 'true, false or a list of rules', interceptors);
  }
  if (tools === undefined) {
    throw invalid('options.tools', "the names of the agent's tools, next to interceptors", tools);
  }
  const rules = interceptors === true ? true : interceptors.map(ruleOf);
  return { interceptors: rules, tools: [...tools] };
}

function ruleOf(rule, index) {
  const name = `options.interceptors[${index}]`;
  if (!isRecord(rule)) throw invalid(name, 'an object with pattern, tool and message', rule);
  object(name, rule, KEYS);
  for (const key of KEYS) {
    const isFine = typeof rule[key] === 'string' || (rule[key] === undefined && !REQUIRED.includes(key));
    if (!isFine) throw invalid(`${name}.${key}`, 'a string', rule[key]);
  }
  return rule;
}

export { interceptorOptions };
