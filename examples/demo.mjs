// Shows the main uses of agent-bash in a few seconds: `npm run demo`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTools } from '../entry/tools.js';
import { jobs, Overlay, probe, run, view } from '../index.js';

const colors = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colors ? `\x1b[${code}m${text}\x1b[0m` : text);
const [bold, dim, red, green, cyan] = [1, 2, 31, 32, 36].map(paint);

/** Pauses before each step, for a recording (scripts/demo-cast.mjs). */
const pause = Number(process.env.AGENT_BASH_DEMO_PAUSE ?? 0);
const title = async (text) => {
  await sleep(pause);
  console.log(`\n${bold(text)}`);
};
const command = (text) => console.log(cyan(`$ ${text}`));
const indented = (text) => console.log(text.trimEnd().replace(/^/gm, '  '));

const root = mkdtempSync(join(tmpdir(), 'agent-bash-demo-'));
writeFileSync(join(root, 'greet.sh'), 'echo Hello\n');
const hasSandbox = (await probe()).sandbox['workspace-write'].available;

await title('1. A tool of a model: its call, and the answer that the model reads');
const toolset = createTools('bash', { root, ...(hasSandbox && { sandbox: 'workspace-write' }) });
const [tool] = toolset.tools;
command('sh greet.sh; sh missing.sh');
indented((await tool.execute({ command: 'sh greet.sh; sh missing.sh' })).text);
await toolset.dispose();

await title('2. A timeout ends the whole process tree, daemons included');
const daemon = 'setsid sh -c "trap : TERM; while :; do sleep 1; done" & sleep 60';
command(daemon);
const late = await run(daemon, { cwd: root, timeout: 500, forceKillAfterDelay: 300 });
indented(
  `${late.status} after ${Math.round(late.durationMs)} ms; processes left: ${late.backgroundPids.length}`,
);

await title('3. A slow command becomes a job, and is read later');
const slow = 'for step in fetch compile link; do echo $step; sleep 0.4; done';
command(slow);
const build = await run(slow, { timeout: 200, onTimeout: 'background' });
indented(`${build.status}; so far: ${JSON.stringify(build.stdout)}`);
const end = await jobs.get(build.jobId).result;
indented(`${end.status} with exit code ${end.exitCode}: ${JSON.stringify(end.stdout)}`);

if (hasSandbox) {
  await title('4. A sandbox of the kernel refuses a write outside the project');
  command('echo hi > ok.txt; echo x > /usr/pwned');
  const tried = await run('echo hi > ok.txt; echo x > /usr/pwned', { root, sandbox: 'workspace-write' });
  indented(red(tried.stderr));

  await title('5. An overlay shows a diff before anything changes');
  const overlay = new Overlay({ root });
  command("sed -i 's/Hello/Good morning/' greet.sh");
  await run("sed -i 's/Hello/Good morning/' greet.sh", { overlay });
  const colored = (await overlay.diff()).replace(/^-.*$/gm, red).replace(/^\+.*$/gm, green);
  indented(colored);
  await overlay.discard();
} else {
  await title('4 and 5 need the sandbox, which this machine does not have');
  indented('`npx agent-bash probe` says why');
}

await title('6. A view keeps the lines of a long log that matter');
const log = Array.from({ length: 4_000 }, (_, line) =>
  line === 1_234
    ? 'src/app.ts(7,3): error TS2304: Cannot find name "foo".'
    : `[${line}] compiled src/file${line}.ts`,
).join('\n');
const { text } = await view(log, { exitCode: 2, maxBytes: 400 });
indented(dim(text));

rmSync(root, { recursive: true });
await sleep(pause);
console.log(`\n${green('Next:')} README.md, examples/, and npm test`);
