'use strict';

const { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve, sep } = require('node:path');
const { describe, wrong } = require('./checks.js');

/** Where temporary files may be -> our own directory there, for this Node environment. */
const directories = new Map();

/** A directory for files with whole outputs: the caller's, or a temporary one of ours outside of `root`. */
function spillDirectory(wanted, root) {
  return wanted === undefined ? ourDirectory(root) : theirDirectory(wanted);
}

function theirDirectory(wanted) {
  try {
    const path = resolve(wanted);
    mkdirSync(path, { recursive: true });
    return path;
  } catch (error) {
    throw wrong(`Invalid option 'options.output.spill.directory': ${error.message}`);
  }
}

/** Not in `root`: a command that searches its workspace would find its own output there. */
function ourDirectory(root) {
  // Nothing lies outside of `/`, which is no workspace.
  const realRoot = root === undefined || root === '/' ? undefined : realPath(root);
  for (const place of [tmpdir(), '/var/tmp', '/dev/shm']) {
    const realPlace = realPath(place);
    if (realPlace === undefined || (realRoot !== undefined && isWithin(realPlace, realRoot))) continue;
    const directory = existing(directories.get(realPlace)) ?? make(realPlace);
    if (directory !== undefined) return directory;
  }
  const reason = `there is no writable directory for temporary files outside of ${describe(root)}`;
  throw wrong(`Invalid option 'options.output.spill': ${reason}; give it a directory`);
}

/** A cleaner of temporary files may have removed it. */
function existing(directory) {
  return directory !== undefined && statSync(directory, { throwIfNoEntry: false })?.isDirectory()
    ? directory
    : undefined;
}

/** A directory that only this user can enter. */
function make(place) {
  try {
    const directory = mkdtempSync(join(place, 'agent-bash-'));
    process.once('exit', () => remove(directory));
    directories.set(place, directory);
    return directory;
  } catch {
    return undefined;
  }
}

function remove(directory) {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // Node ends. There is nobody to tell.
  }
}

function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isWithin(path, directory) {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

module.exports = { spillDirectory };
