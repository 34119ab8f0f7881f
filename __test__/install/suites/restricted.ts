import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ANSWERS, writePrograms } from '../support/programs.js';
import { ADDON_PACKAGE } from '../support/repository.js';
import { LOAD, type Site } from '../support/site.js';

/** Node has given its flag another name. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

export function restricted(site: () => Site, project: () => string): void {
  it('works for a user who may only read it', async ({ skip }) => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) skip('only root can be another user');
    const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const output = await site().user.run(project(), 'setpriv', ...nobody, process.execPath, 'esm.mjs');
    expect(JSON.parse(output)).toEqual(ANSWERS);
  });

  it('reports that Node may load no addons, and loads when it may', async () => {
    const load = (...flags: string[]) => site().user.node(project(), ...flags, '-p', LOAD);
    expect(await load(PERMISSION, '--allow-fs-read=*')).toMatch(
      /^ADDON_NOT_LOADED: .*loading addons is disabled/,
    );
    expect(await load(PERMISSION, '--allow-fs-read=*', '--allow-addons')).toBe('loaded\n');
    expect(await load('--no-addons')).toMatch(/^ADDON_NOT_LOADED: .*loading addons is disabled/);
  });

  it('works through links that Node does not follow', async () => {
    const linked = site().project('linked');
    mkdirSync(join(linked, 'node_modules'));
    for (const name of ['agent-bash', ADDON_PACKAGE]) {
      site().linkTo(join(project(), 'node_modules', name), linked, name);
    }
    writePrograms(linked);
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
    expect(JSON.parse(await site().user.node(linked, ...flags, 'esm.mjs'))).toEqual(ANSWERS);
  });
}
