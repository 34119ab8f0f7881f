// BashJob: the output of a command as events, while it runs.
import { BashJob } from '../index.js';

const job = new BashJob({ command: 'echo one; sleep 0.2; echo two >&2; sleep 0.2; exit 3' }, '/', false, {
  timeout: 10_000,
});

job.on('data', (chunk, stream) => console.log(`${stream}: ${chunk.trimEnd()}`));

job.on('exit', (code, signal, result) => {
  console.log(`exit: code ${code}, signal ${signal}, status ${result.status}`);
  console.log(`bytes: ${result.totalBytes.stdout} of stdout, ${result.totalBytes.stderr} of stderr`);
});
