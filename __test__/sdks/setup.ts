import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installFor } from '../../scripts/downloads.mjs';
import { buildStaleBundle } from '../../scripts/stale.mjs';
import { ADDON_PACKAGE, placePackage } from '../install/support/repository.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/**
 * Installs the SDKs, and our package beside them as npm would put it: a link would not find them from where
 * it leads.
 */
export async function setup(): Promise<void> {
  buildStaleBundle();
  await installFor('__test__/sdks');
  for (const name of ['agent-bash', ADDON_PACKAGE]) {
    rmSync(`${HERE}node_modules/${name}`, { recursive: true, force: true });
  }
  placePackage(HERE);
}
