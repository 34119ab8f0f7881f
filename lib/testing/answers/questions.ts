// The questions to the addon that run nothing: what their answers depend on, and what answers some of them
// without the addon.

import { isRecord } from '../../options/checks.ts';
import { matchOfTexts } from './plain-match.ts';

/** The arguments of a question. A method of a handle has those of the handle in front. */
export type Given = readonly unknown[];

export interface Question {
  /** Returns the arguments that count: without inherited variables, and what differs in each run. */
  about?: (given: Given) => unknown;
  /** The places of arguments that are JSON. */
  json?: readonly number[];
  /** The places of what a command has written, with that of the outcome that has its size. */
  output?: { stdout: number; stderr: number; outcome: number };
  /** The answer without the addon, where no other is stored. */
  plain?: (given: Given) => unknown;
  /** Whether the answer is a promise. */
  isLater?: boolean;
  /** Returns the part of the answer that is stored, and the answer that has this part. */
  part?: { of: (answer: unknown) => unknown; whole: (stored: unknown, given: Given) => unknown };
}

/** The questions by their names; all others are stored as they are. */
export const QUESTIONS: Record<string, Question> = {
  readPolicy: { plain: () => null },
  'policy.check': { about: aboutCommand },
  'policy.harden': {
    about: aboutCommand,
    // The variables of a command that does not run count for nothing.
    part: {
      of: (answer) => isRecord(answer) && { ...answer, environment: undefined },
      whole: (stored, [, spec]) =>
        isRecord(stored) ? { ...stored, environment: (spec as { environment?: string }).environment } : null,
    },
  },
  toolDialect: { plain: () => null },
  'dialect.plan': { json: [2] },
  'dialect.answer': { json: [2, 3], output: { outcome: 3, stdout: 4, stderr: 5 } },
  'dialect.ended': { json: [2], output: { outcome: 2, stdout: 3, stderr: 4 } },
  'dialect.isBinary': { plain: () => false },
  'dialect.clean': { plain: ([, text]) => text },
  coversEscalation: { json: [0, 1] },
  escalated: {
    json: [0, 3, 4],
    about: ([sandbox, root, , ...others]) => [anywhere(sandbox), root, ...others],
  },
  sandboxParagraph: { about: ([spec]) => aboutPlace(spec) },
  refusedCall: { plain: () => null, about: ([call]) => [{ ...(call as object), surroundings: undefined }] },
  hasApplicationCursor: { plain: () => false },
  isSameLine: { plain: () => false },
  commandMatches: { plain: ([pattern, command]) => matchOfTexts(String(pattern), String(command)) },
  viewOf: { isLater: true },
  linesOf: { isLater: true },
  linesWith: { isLater: true },
};

/** The methods of what some questions give. */
export const HANDLES: Record<string, { name: string; methods: readonly string[] }> = {
  readPolicy: { name: 'policy', methods: ['check', 'isEnforcedBy', 'harden'] },
  toolDialect: {
    name: 'dialect',
    methods: ['describe', 'plan', 'answer', 'isBinary', 'clean', 'ended'],
  },
};

/** Returns what a decision about a command depends on: of its variables, those that it was given. */
function aboutCommand([policy, given]: Given): unknown {
  const { environment, overlay: _, ...spec } = given as Record<string, unknown>;
  // A command on a target inherits none.
  const about = spec.sandbox === undefined ? spec : { ...spec, sandbox: anywhere(spec.sandbox) };
  return [policy, spec.isElsewhere ? { ...about, environment } : about];
}

/** Returns a sandbox without the variables of this machine by which its sockets are found. */
function anywhere(sandbox: unknown): unknown {
  if (typeof sandbox !== 'string' || !sandbox.startsWith('{')) return sandbox;
  return JSON.stringify({ ...(JSON.parse(sandbox) as object), variables: undefined });
}

function aboutPlace(given: unknown): unknown {
  const { cwd, root, shell, sandbox } = given as Record<string, unknown>;
  return [{ cwd, root, shell, sandbox }];
}
