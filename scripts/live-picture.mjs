// Writes docs/agent-minute.cast, the recording of an agent's minute, and docs/live.png, the page of a live
// view that shows it. The agent is a script: its tool calls are those that a model makes to mend a failing
// test, and all of them run. Needs a build and Chromium (`npm run doctor`).
//
//   node scripts/live-picture.mjs

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installFor } from './downloads.mjs';
import { find } from './machine.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(join(ROOT, 'index.js'));
const { createTools } = require(join(ROOT, 'entry/tools.js'));
const { Live } = require(join(ROOT, 'entry/live.js'));

const CAST = join(ROOT, 'docs/agent-minute.cast');
const PICTURE = join(ROOT, 'docs/live.png');

/** The project that the agent works on. */
const FILES = {
  'package.json': JSON.stringify({
    name: 'shop',
    type: 'module',
    scripts: { test: 'node --test --test-reporter=spec', dev: 'node server.js' },
  }),
  'cart.js': 'export const total = (items) => items.reduce((sum, { price }) => sum + price, 0);\n',
  'cart.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { total } from './cart.js';
test('an empty cart', () => assert.equal(total([]), 0));
test('prices count once per piece', () => assert.equal(total([{ price: 3, pieces: 2 }]), 6));
`,
  'server.js': `import { createServer } from 'node:http';
import { total } from './cart.js';
createServer((_, response) => response.end(JSON.stringify({ total: total([{ price: 3, pieces: 2 }]) })))
  .listen(5173, '127.0.0.1', () => console.log('\\x1b[32m➜\\x1b[39m  listening on \\x1b[36mhttp://localhost:5173/\\x1b[39m'));
`,
};

/** The calls before the picture, and the pause of the model before each (ms). */
const CALLS = [
  [1_200, { command: 'git status --short && ls' }],
  [1_800, { command: 'npm test' }],
  [2_000, { command: 'cat cart.js cart.test.js' }],
  [
    2_500,
    {
      command:
        "sed -i 's/{ price }) => sum + price/{ price, pieces }) => sum + price * pieces/' cart.js && git diff --color",
    },
  ],
  [1_500, { command: 'npm test' }],
  [1_500, { command: 'curl -s https://example.com/telemetry' }],
  [1_800, { command: 'npm run dev', background: true }],
  [4_000, { command: 'curl -s http://localhost:5173/' }],
];

function makeProject() {
  const directory = join(mkdtempSync(join(tmpdir(), 'work-')), 'shop');
  mkdirSync(directory);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text);
  const git = (...words) => execFileSync('git', words, { cwd: directory });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'Begin');
  return directory;
}

const project = makeProject();
rmSync(CAST, { force: true });
const live = new Live({ control: 'approve', title: 'bash in ~/shop' });
const tools = createTools('bash', {
  root: project,
  env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: undefined, npm_config_update_notifier: 'false' },
  record: { file: CAST, title: 'An agent mends a test', cols: 100, rows: 28 },
  policy: {
    mode: 'default',
    allow: [
      'Bash(npm test)',
      'Bash(npm run:*)',
      'Bash(git:*)',
      'Bash(sed:*)',
      'Bash(curl -s http://localhost:5173/)',
    ],
  },
  approve: (call) =>
    call.command.includes('telemetry') ? { verdict: 'deny', reason: 'no telemetry' } : live.approve(call),
});
live.add(tools);
const { url } = await live.listen();
for (const [pause, args] of CALLS) {
  await setTimeout(pause);
  const { isError, text } = await tools.call('bash', args);
  console.log(`${args.command}: ${isError ? 'error' : 'ok'} ${text.slice(0, 60).replaceAll('\n', ' ')}`);
}

await installFor('__test__/browser');
const { chromium } = createRequire(join(ROOT, '__test__/browser/'))('playwright-core');
const browser = await chromium.launch({ executablePath: find('chromium'), args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 640 }, colorScheme: 'light' });
  await page.goto(url);
  const asked = tools.call('bash', { command: 'npm install --save-dev prettier' });
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.locator('button.row', { hasText: 'npm run dev' }).click();
  // The buttons rest at first, and the processes are looked at each second.
  await setTimeout(2_500);
  await page.screenshot({ path: PICTURE });
  await page.getByRole('button', { name: 'Deny…' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('not now');
  await page.keyboard.press('Enter');
  await asked;
} finally {
  await browser.close();
}
await tools.dispose();
await live[Symbol.asyncDispose]();
// The recording has the name of a directory that is gone.
const text = readFileSync(CAST, 'utf8').replaceAll(project, '/home/you/shop');
writeFileSync(CAST, text);
rmSync(join(project, '..'), { recursive: true });
console.log(`${CAST}: ${text.length} bytes`);
