import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnostics, run } from '../../index.js';
import { INDEX, node, temporaryDirectory } from './support.ts';

const DIAGNOSTICS = `
  const { diagnostics } = require(${JSON.stringify(INDEX)});
  process.stdout.write(JSON.stringify(diagnostics().guardian));
`;

describe('diagnostics() on Windows', () => {
  it('tells that the kernel guards commands, and where the helper program is', () => {
    const { state, path, error } = diagnostics().guardian;
    expect({ state, error }).toEqual({ state: 'running', error: null });
    expect(path).toMatch(/agent-bash-helper\.win32-.*\.exe$/);
  });

  it('tells that the helper program is missing', async () => {
    const addon = join(temporaryDirectory(), 'addon.node');
    // The helper program is beside the addon.
    const own = diagnostics().guardian.path.replace(/agent-bash-helper\.(.*)\.exe$/, 'agent-bash.$1.node');
    copyFileSync(own, addon);
    const { stdout } = await run(node(DIAGNOSTICS), { env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon } });
    expect(JSON.parse(stdout)).toMatchObject({ state: 'running', error: { code: 'HELPER_MISSING' } });
  });
});
