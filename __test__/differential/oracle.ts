import { commandFrom } from './oracle/arguments.js';
import { type LaunchOptions, launch } from './oracle/launch.js';
import { planFor } from './oracle/plan.js';
import { render } from './oracle/text.js';

/**
 * An engine that answers commands: the oracle below, or the addon. Arguments have the type `unknown`, as from
 * any caller.
 */
export type Engine = (args: unknown, workspaceRoot: unknown, safeMode: unknown) => Promise<string>;

/**
 * Computes the answer of `bash()` with `node:child_process`.
 *
 * The oracle shares no code with the addon: a defect would have to be made twice to go unnoticed.
 */
export async function oracle(
  args: unknown,
  workspaceRoot: unknown,
  safeMode: unknown,
  options: LaunchOptions = {},
): Promise<string> {
  const command = commandFrom(args);
  if (command === undefined) return "Error: Missing required parameter 'command'";

  const plan = planFor(command, Boolean(safeMode));
  if ('refusal' in plan) return `Error: ${plan.refusal}`;

  if (typeof workspaceRoot !== 'string') {
    return "Error: Invalid parameter 'workspaceRoot': expected a string";
  }
  const named = { command, workspaceRoot };
  for (const [name, value] of Object.entries(named)) {
    if (value.includes('\0')) return `Error: Invalid parameter '${name}': must not contain null bytes`;
  }

  const outcome = await launch(plan, workspaceRoot, options);
  if ('failure' in outcome) return `Error: Failed to launch process: ${outcome.failure}`;
  return render(outcome);
}
