// Stand-ins for the clients of engines and of Kubernetes: programs that write their arguments to a file, and
// execute on this machine what they are to execute there. The transport and the supervisor are real.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../support/directory.js';

export class Client {
  readonly home = temporaryDirectory();
  readonly program = join(this.home, 'client');

  /** `script` is what the client does with its arguments, and may call `there WORD…`. */
  constructor(script: string) {
    mkdirSync(join(this.home, 'tmp'));
    const there = `there() { exec env -i PATH="$PATH" HOME='${this.home}' TMPDIR='${this.home}/tmp' "$@"; }`;
    const log = `printf '%s\\n' "$*" >>'${this.home}/log'`;
    writeFileSync(this.program, `#!/bin/bash\n${there}\n${log}\n${script}\n`, { mode: 0o755 });
  }

  /** The arguments of each call, without the words that start a shell. */
  calls(): string[] {
    const lines = readFileSync(join(this.home, 'log'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => line.replace(/ sh -c read -r x;eval "\$x"$/, ''));
  }
}
