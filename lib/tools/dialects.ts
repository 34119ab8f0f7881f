import { failure, question, toolDialects } from '../addon/native.ts';
import type { Dialect, ToolIdentity } from './api/definition.ts';

/** The facts about a dialect: `src/tools/profile.rs` explains them. */
export interface DialectProfile {
  readonly name: Dialect;
  readonly options: readonly OwnOption[];
  readonly compat: readonly string[] | null;
  readonly usesBash: boolean;
  readonly jobIds: string;
  readonly maxRunning: number | null;
  readonly reportsPipeStatus: boolean;
  readonly deniesDanger: boolean;
  readonly protected: readonly string[];
  readonly asksForMore: boolean;
  readonly hasAnswerId: boolean;
  readonly hasAnswerTime: boolean;
  readonly limits: readonly LimitVariable[];
  readonly noTerminalsVariable: string | null;
  readonly updateIntervalMs: number;
  readonly updateBytes: number;
  readonly takesBareCommand: boolean;
  readonly identity: ToolIdentity | null;
}

/** An option of a dialect alone. Each kind has some of the other fields. */
export interface OwnOption {
  readonly name: string;
  readonly kind:
    | 'flag'
    | 'choice'
    | 'milliseconds'
    | 'integer'
    | 'names'
    | 'function'
    | 'threshold'
    | 'permissions';
  readonly choices?: readonly string[];
  readonly least?: number;
  readonly most?: number;
}

/** A variable of the environment that sets a limit. */
export interface LimitVariable {
  readonly name: string;
  readonly setting: string;
  readonly most: number | null;
}

/** The facts about the dialects, by their names. */
const profiles: ReadonlyMap<string, DialectProfile> = new Map(
  allProfiles().map((profile) => [profile.name, profile]),
);

function allProfiles(): DialectProfile[] {
  return failure === null ? JSON.parse(toolDialects()) : [];
}

/** The names of all dialects; none without the addon. */
const dialects: readonly Dialect[] = Object.freeze([...profiles.values()].map(({ name }) => name));

/** Returns the facts about a dialect; `undefined` for a name that no dialect has. */
function profileOf(name: unknown): DialectProfile | undefined {
  return storedProfile(name) ?? undefined;
}

const storedProfile = question('dialectProfile', (name: unknown) => profiles.get(name as string) ?? null);

export { dialects, profileOf };
