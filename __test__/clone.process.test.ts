import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADDON, copyPacked, manifest, ROOT } from './install/support/repository.js';
import { temporaryDirectory } from './support/directory.js';

/** Copies what a clone has that a program loads. It has no node_modules, and nothing is built. */
function clone(...built: string[]): string {
  const directory = join(temporaryDirectory(), 'clone');
  for (const path of ['package.json', 'Cargo.toml', 'index.js', 'entry', 'scripts', ...built]) {
    cpSync(join(ROOT, path), join(directory, path), { recursive: true });
  }
  return directory;
}

/** Runs Node.js in a project to which a clone is linked. */
function linked(directory: string, ...words: string[]) {
  const project = temporaryDirectory();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(directory, join(project, 'node_modules/agent-bash'));
  return spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
}

const advice = (directory: string) =>
  `${directory} is a clone that was not built. Run \`npm ci && npm run build\` there.`;

describe('a clone that was linked', () => {
  it.each(['agent-bash', 'agent-bash/bash', 'agent-bash/tools'])(
    'and not built names the command: %s',
    (name) => {
      const directory = clone();
      const { status, stderr } = linked(directory, '-e', `require('${name}')`);
      expect(status).toBe(1);
      expect(stderr).toContain(advice(directory));
      expect(stderr).not.toContain('Require stack');
      expect(stderr.split('\n').length, stderr).toBeLessThan(15);
    },
  );

  it('and not built names the command at the command line', () => {
    const directory = clone();
    const { status, stderr } = linked(directory, 'node_modules/agent-bash/entry/cli.js', '--version');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `agent-bash: agent-bash can't find its code: ${advice(directory)}\n`,
    });
  });

  it('whose addon was not built names the command', () => {
    const directory = clone('bundle', 'native.cjs');
    const { stderr } = linked(directory, 'node_modules/agent-bash/entry/cli.js', 'run', '--', 'true');
    expect(stderr).toContain(`agent-bash: agent-bash can't find its addon: ${advice(directory)}\n`);
  });

  it('prints a configuration of MCP with its own path', () => {
    const directory = clone('bundle', 'native.cjs', ADDON);
    const { stdout } = linked(
      directory,
      'node_modules/agent-bash/entry/cli.js',
      'mcp',
      '--mode=auto',
      '--print-config',
      'claude',
    );
    expect(JSON.parse(stdout).mcpServers['agent-bash']).toEqual({
      type: 'stdio',
      command: 'node',
      args: [join(directory, 'entry/cli.js'), 'mcp', '--mode=auto'],
    });
  });
});

it('an installed package prints a configuration with its name', () => {
  const project = temporaryDirectory();
  const main = join(project, 'node_modules/agent-bash');
  copyPacked(main);
  cpSync(join(ROOT, ADDON), join(main, ADDON));
  const words = [join(main, 'entry/cli.js'), 'mcp', '--print-config', 'codex'];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stdout).toContain('command = "npx"\nargs = ["-y", "agent-bash", "mcp"]\n');
});

it('an installation from git is refused, and names the commands', () => {
  const directory = clone();
  // Other packages make no difference to the refusal, and npm would ask its registry for them.
  const all: Record<string, unknown> = { ...manifest(directory) };
  const { devDependencies, peerDependencies, ...own } = all;
  writeFileSync(join(directory, 'package.json'), JSON.stringify(own));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: directory });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  const project = temporaryDirectory();
  writeFileSync(join(project, 'package.json'), '{}');
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', `git+file://${directory}`], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: project, npm_config_update_notifier: 'false' },
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain("agent-bash can't be installed from git");
  expect(stderr).toContain('npm ci && npm run build && npm run pack:all -- --local');
}, 120_000);
