// The arguments of a call: as JSON for the dialect, and checked for a caller.

import type { ToolStep } from '../../native.js';
import { messageOf } from '../support/message-of.ts';
import type { JSONSchema } from './api/definition.ts';
import type { Coerced } from './options/coerce.ts';
import { coerce } from './options/coerce.ts';

/** Arguments that are not JSON, for which dialects have words of their own. */
class NotJson extends Error {}

/** Returns the arguments as JSON. Some SDKs pass the model's text unparsed. */
function jsonOf(args: unknown): string {
  if (args === undefined || args === null) return '{}';
  if (typeof args !== 'string') return wellFormed(JSON.stringify(args) ?? '{}');
  try {
    // Numbers that are too large for JavaScript become `null`, as in parsed arguments.
    return wellFormed(JSON.stringify(JSON.parse(args)));
  } catch {
    throw new NotJson('the arguments are not valid JSON');
  }
}

/**
 * Replaces halves of surrogate pairs in JSON by U+FFFD: the addon takes no JSON with them, and a command
 * can't have them.
 */
function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\\\|\\ud[89a-f][\da-f]{2}/g, (half) => (half === '\\\\' ? half : '\\ufffd'));
}

/** Checks and normalizes arguments, with the dialect's errors. */
function parse(read: () => string, schema: JSONSchema, plan: (text: string) => ToolStep): Coerced {
  let text: string;
  try {
    text = read();
  } catch (error) {
    return { issues: [{ message: messageOf(error) }] };
  }
  const coerced = coerce(JSON.parse(text), schema);
  if (coerced.issues !== undefined) return coerced;
  const { refusal } = plan(JSON.stringify(coerced.value));
  return refusal ? { issues: [{ message: refusal.text }] } : coerced;
}

export { jsonOf, NotJson, parse };
