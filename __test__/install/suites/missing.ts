import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ADDON_PACKAGE } from '../support/repository.js';
import { ELSEWHERE, installed, LOAD, publishOtherPlatforms, type Site } from '../support/site.js';

/** Ways of a user to end without the addon. */
export function missing(site: () => Site): void {
  async function expectAdvice(project: string): Promise<void> {
    const output = await site().user.node(project, '-p', LOAD);
    expect(output).toMatch(/^ADDON_MISSING: /);
    expect(output).toContain(`the package ${ADDON_PACKAGE} is not installed`);
    expect(output).toContain('without --omit=optional');
    expect(output).toContain('remove node_modules and package-lock.json, and run npm install again');
  }

  it('is reported with a remedy when optional dependencies were left out', async () => {
    const project = site().project('omitted');
    await site().user.npm(project, 'install', '--omit=optional', 'agent-bash');
    expect(installed(project)).toEqual(['agent-bash']);
    await expectAdvice(project);
  });

  it('is reported when the addon is of another platform, and the remedy works', async () => {
    await publishOtherPlatforms(site());
    const project = site().project('elsewhere');
    await site().user.npm(project, 'install', ...ELSEWHERE, 'agent-bash');
    expect(installed(project)).toEqual(['agent-bash', 'agent-bash-darwin-arm64']);
    await expectAdvice(project);
    for (const name of ['node_modules', 'package-lock.json']) {
      rmSync(join(project, name), { recursive: true });
    }
    await site().user.npm(project, 'install');
    expect(await site().user.node(project, '-p', LOAD)).toBe('loaded\n');
  });
}
