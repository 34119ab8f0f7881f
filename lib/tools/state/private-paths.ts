// Removes the paths of the session's own files from what a model reads: bash names the file with a command in
// its errors.

import type { SessionResult } from '../../session/api.ts';
import { FOLDER_NAME, SESSION_FILE } from '../../support/shared-folder.ts';

/** A file of the session; with `bash: ` before it, or `: ` behind it, as part of an error of bash. */
const FILE = new RegExp(`(bash: )?${SESSION_FILE}(: )?`, 'g');

/** Removes the paths from the texts of a result. */
function withoutPrivatePathsIn(given: SessionResult): SessionResult {
  given.stdout = withoutPrivatePaths(given.stdout);
  given.stderr = withoutPrivatePaths(given.stderr);
  if (given.view !== null && given.view !== undefined) given.view.text = withoutPrivatePaths(given.view.text);
  return given;
}

function withoutPrivatePaths(text: string): string {
  if (!text.includes(FOLDER_NAME)) return text;
  return text.replace(FILE, (_, before = '', behind = '') =>
    before && behind ? before : `${before}bash${behind}`,
  );
}

export { withoutPrivatePaths, withoutPrivatePathsIn };
