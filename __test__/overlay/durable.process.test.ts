import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX } from '../support/node.js';

describe('a commit of an overlay', { tags: ['sandbox'] }, () => {
  it.for([['the layer is removed'], ['a part stays in the layer']])(
    'is on the disk when %s',
    { tags: ['root'] },
    ([what], { skip }) => {
      const place = temporaryDirectory();
      const paths = what === 'the layer is removed' ? undefined : ['f'];
      const program = `
        import { Overlay, run } from ${JSON.stringify(INDEX)};
        import { execFileSync } from 'node:child_process';
        const sh = (script) => execFileSync('/bin/sh', ['-ec', script], { cwd: ${JSON.stringify(place)}, encoding: 'utf8' });
        try {
          sh('truncate -s 64M image; mkfs.ext4 -q image; mkdir work later; mount -o loop image work; sync -f work');
        } catch {
          console.log('unavailable');
          process.exit();
        }
        const overlay = new Overlay({ root: ${JSON.stringify(join(place, 'work'))} });
        await run('echo saved > f; echo 1 > g', { overlay });
        await overlay.commit({ paths: ${JSON.stringify(paths)} });
        // A copy of the image is the disk after a power cut.
        sh('cp image cut; mount -o loop cut later');
        console.log(sh('cat later/f || :'));
        await overlay.discard();
        sh('umount -l later work');
      `;
      const words = ['--mount', process.execPath, '--input-type=module', '-e', program];
      const printed = execFileSync('unshare', words, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      if (printed.startsWith('unavailable')) skip('no loop device can be mounted');
      expect(printed).toBe('saved\n\n');
    },
  );
});
