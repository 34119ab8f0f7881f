import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.github/workflows');
const { napi } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  uses?: string;
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  environment?: string | { name: string };
  strategy?: { 'fail-fast'?: boolean; matrix: Record<string, unknown[]> };
  steps?: Step[];
}

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

/** Returns the defects of a workflow, one sentence each. */
function complaints(text: string): string[] {
  const workflow: Workflow = parse(text);
  const found: string[] = [];
  if (JSON.stringify(workflow.permissions) !== '{}') found.push('the workflow gives its jobs permissions');
  for (const [, reference = '', comment = ''] of text.matchAll(/^[\s-]*uses: (\S+)(.*)$/gm)) {
    const isPinned = /@[0-9a-f]{40}$/.test(reference) && /^ # v\d+\.\d+\.\d+$/.test(comment);
    if (!isPinned && !reference.startsWith('./')) found.push(`${reference} is not pinned`);
  }
  for (const [name, job] of Object.entries(workflow.jobs)) {
    found.push(...jobComplaints(job).map((complaint) => `${name} ${complaint}`));
  }
  return found;
}

function jobComplaints(job: Job): string[] {
  const found: string[] = [];
  if (job.permissions === undefined) found.push('has no permissions of its own');
  // A job that calls a workflow can't have one: those of the jobs there count.
  if (job.uses === undefined && job['timeout-minutes'] === undefined) found.push('has no timeout');
  // The environment of the documents' site admits the main branch alone, as GitHub makes it.
  const { environment } = job;
  const name = typeof environment === 'string' ? environment : environment?.name;
  if (job.permissions?.['id-token'] !== undefined && name !== 'npm' && name !== 'github-pages') {
    found.push('has a token without an approval');
  }
  if (job.strategy && job.strategy['fail-fast'] !== false) found.push('gives up at the first failure');
  for (const step of job.steps ?? []) {
    if (step.run?.includes('${{')) found.push('has an expression in a shell text');
    if (step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false) {
      found.push('leaves its credentials in the clone');
    }
  }
  return found;
}

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

/** `linux-x64-musl` of `x86_64-unknown-linux-musl`. */
function platformOf(target: string): string {
  const [cpu = '', , system, libc] = target.split('-');
  return [system === 'windows' ? 'win32' : system, { x86_64: 'x64', aarch64: 'arm64' }[cpu], libc]
    .filter(Boolean)
    .join('-');
}

const GOOD = `
permissions: {}
jobs:
  one:
    permissions: { contents: read, id-token: write }
    timeout-minutes: 5
    environment: npm
    strategy: { fail-fast: false, matrix: { node: [20] } }
    steps:
      - uses: actions/checkout@${'0'.repeat(40)} # v1.2.3
        with: { persist-credentials: false }
      - run: echo "$NAME"
`;

describe('the check of a workflow', () => {
  it('has nothing to say about a good one', () => {
    expect(complaints(GOOD)).toEqual([]);
  });

  it.each([
    [`permissions: {}\n`, '', 'the workflow gives its jobs permissions'],
    ['0'.repeat(40), 'v1.2.3', 'actions/checkout@v1.2.3 is not pinned'],
    [' # v1.2.3', '', `actions/checkout@${'0'.repeat(40)} is not pinned`],
    ['    permissions: { contents: read, id-token: write }\n', '', 'one has no permissions of its own'],
    ['timeout-minutes: 5', 'name: One', 'one has no timeout'],
    ['environment: npm', 'name: One', 'one has a token without an approval'],
    ['fail-fast: false, ', '', 'one gives up at the first failure'],
    ['"$NAME"', '${{ github.ref_name }}', 'one has an expression in a shell text'],
    ['persist-credentials: false', 'fetch-depth: 0', 'one leaves its credentials in the clone'],
  ])('sees that %j is replaced by %j', (part, other, complaint) => {
    expect(complaints(GOOD.replace(part, other))).toEqual([complaint]);
  });
});

describe('the workflows', () => {
  it.each(readdirSync(FOLDER))('keep the rules: %s', (name) => {
    expect(complaints(read(name))).toEqual([]);
  });

  const { jobs }: Workflow = parse(read('build.yml'));
  const matrix = (job: string) => jobs[job]?.strategy?.matrix ?? {};

  it('build every target, under the name of its platform', () => {
    const built = matrix('addon').include as Array<{ target: string; platform: string }>;
    expect(built.map(({ target }) => target).sort()).toEqual([...napi.targets].sort());
    for (const { target, platform } of built) expect(platform).toBe(platformOf(target));
  });

  it('test every platform with every version of Node', () => {
    const { platform: linux = [], image: images = [] } = matrix('smoke-linux');
    const { platform: macos = [], node: versions = [] } = matrix('smoke-macos');
    const { platform: windows = [], node: versionsOnWindows } = matrix('test-windows');
    // The image determines the C library.
    const onLinux = ['gnu', 'musl'].flatMap((libc) => linux.map((platform) => `${platform}-${libc}`));
    expect([...onLinux, ...macos, ...windows].sort()).toEqual(napi.targets.map(platformOf).sort());
    expect(versions).toEqual([20, 22, 24, 26]);
    expect(versionsOnWindows).toEqual(versions);
    for (const version of versions) {
      expect(images).toEqual(expect.arrayContaining([`${version}-slim`, `${version}-alpine`]));
    }
    expect(matrix('test').node).toEqual(versions);
  });

  it('may write in three jobs: one says to npm who it is, one makes a draft, one shows the documents', () => {
    const writing = readdirSync(FOLDER).flatMap((name) => {
      const workflow: Workflow = parse(read(name));
      return Object.entries(workflow.jobs).flatMap(([job, { permissions = {} }]) =>
        Object.entries(permissions)
          .filter(([, level]) => level !== 'read')
          .map(([scope, level]) => `${name} ${job}: ${scope} ${level}`),
      );
    });
    expect(writing.sort()).toEqual([
      'docs.yml publish: id-token write',
      'docs.yml publish: pages write',
      'release.yml github-release: contents write',
      'release.yml publish: id-token write',
    ]);
  });

  it('have no secrets', () => {
    expect(readdirSync(FOLDER).map(read).join('')).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|secrets\b/);
  });
});
