import { installFor } from '../../scripts/downloads.mjs';
import { has } from '../../scripts/machine.mjs';

/** Installs what the tests of this folder need. Without a browser, they are skipped. */
export async function setup(): Promise<void> {
  if (!has('chromium')) return;
  await installFor('__test__/browser');
  await installFor('__test__/recording');
}
