// Gives the whole output of a command to the host, which saves it as an artifact.

import type { RunResult } from '../../result/api.ts';
import { view as viewOf } from '../../view/view.ts';
import type { CommandOutput } from '../options/command-run-options.ts';
import type { OwnOptions } from '../toolset-state.ts';

/** The last line of a view, which the artifact replaces. */
const FOOTER = /\n\[output: [^\n]*\]$/;

/** An id that can stand in a URL. */
const ID = /^[^\s\]]{1,200}$/;

/**
 * Names the host's artifact in the last line of a view that is not whole. Without an artifact, no line is
 * left out by rules: nobody could read it.
 */
async function withArtifact(
  result: RunResult,
  { view: options }: CommandOutput,
  { saveArtifact }: OwnOptions,
): Promise<void> {
  const { view, spillPath } = result;
  if (saveArtifact === undefined || view === null || view.complete || spillPath === null) return;
  const id = await idOf(saveArtifact, spillPath);
  if (id !== undefined) {
    view.text = `${view.text.replace(FOOTER, '')}\n[raw output: artifact://${id}]`;
  } else if (view.leftOut.some(({ reason }) => reason !== undefined)) {
    const { exitCode, signal } = result;
    result.view = await viewOf({ path: spillPath }, { ...options, exitCode, signal });
  }
  result.output = result.view?.text ?? result.output;
}

async function idOf(
  saveArtifact: NonNullable<OwnOptions['saveArtifact']>,
  path: string,
): Promise<string | undefined> {
  try {
    const id = await saveArtifact(path);
    return typeof id === 'string' && ID.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

export { withArtifact };
