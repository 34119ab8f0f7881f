import { redactedText } from './redacted.ts';
import type { Redactor } from './redaction.ts';

/**
 * Returns data in which each text, also as a key, is redacted. Arrays and plain objects are copied where
 * something changes, with their properties that are not enumerable; other objects stay as they are.
 */
function redactedData<Data>(data: Data, redactor: Redactor): Data {
  return changed(data, redactor, 0) as Data;
}

/** The deepest data that are searched: what is deeper is dropped, as nobody can say what it holds. */
const MAX_DEPTH = 64;

function changed(data: unknown, redactor: Redactor, depth: number): unknown {
  if (typeof data === 'string') return redactedText(data, redactor);
  if (typeof data !== 'object' || data === null) return data;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(data)) {
    const items = data.map((item) => changed(item, redactor, depth + 1));
    return items.some((item, index) => item !== data[index]) ? items : data;
  }
  return isPlain(data) ? changedObject(data, redactor, depth) : data;
}

function changedObject(data: object, redactor: Redactor, depth: number): object {
  const all = Object.getOwnPropertyDescriptors(data);
  const copy: PropertyDescriptorMap = {};
  let isSame = true;
  for (const [key, descriptor] of Object.entries(all)) {
    const name = redactedText(key, redactor);
    // A property that is computed when it is read, and one that others don't see, stays.
    const isRead = 'value' in descriptor && descriptor.enumerable === true;
    const value = isRead ? changed(descriptor.value, redactor, depth + 1) : descriptor.value;
    isSame &&= name === key && value === descriptor.value;
    copy[name] = isRead ? { ...descriptor, value } : descriptor;
  }
  if (isSame) return data;
  for (const key of Object.getOwnPropertySymbols(data)) {
    Object.assign(copy, { [key]: Object.getOwnPropertyDescriptor(data, key) });
  }
  return Object.create(Object.getPrototypeOf(data), copy);
}

function isPlain(data: object): boolean {
  const prototype = Object.getPrototypeOf(data);
  return prototype === null || prototype === Object.prototype;
}

export { redactedData };
