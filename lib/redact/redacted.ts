// Redacts the texts in any data.

import { features } from '../support/features.ts';
import type { Redactor } from './redaction.ts';

/** Returns a text in which each value is a mark. */
function redactedText(text: string, redactor: Redactor | undefined): string {
  return redactor?.text(text) ?? text;
}

/** Returns data in which each text, also as a key, is redacted; without a redactor, the same data. */
function redacted<Data>(data: Data, redactor: Redactor | undefined): Data {
  return redactor === undefined ? data : features().redactedData(data, redactor);
}

export { redacted, redactedText };
