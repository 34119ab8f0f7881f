import type { GivenCall, MoreSpec, NativeResult, RunSpec } from '../addon/addon-types.ts';
import type { DurableLink } from '../durable/durable-link.ts';
import type { Observers } from '../observe/observers.ts';
import type { Terminal } from '../options/command/pty-options.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import type { Decision } from '../policy/api.ts';
import type { Authorization, Subject } from '../policy/authorize.ts';
import type { Target } from '../target/target.ts';

/** A checked command of `run()` or of a table, before and after it was authorized. */
export interface CommandPlan {
  /** The command as text, in which secret values are marks. */
  text: string;
  /** The text as it was given, for comparisons. */
  given: string;
  /** The native result of a command that must not start, or `null`. */
  refusal: NativeResult | null;
  signal: AbortSignal | undefined;
  authorization: Authorization | null;
  /** The command as the policy judges it; `null` without a policy. */
  subject: Subject | null;
  /** The target that exists for this command alone. */
  ownTarget: Target | null | undefined;
  /** The plan for the addon, in which an absent option stays `undefined`: the addon has the defaults. */
  spec: CommandSpec;
  /** The decision of the policy, once it was made. */
  decision?: Decision | undefined;
  /** The answer of the host's `approve`, which never rejects: the refusal, or `null`. */
  approval?: Promise<NativeResult | null> | undefined;
  /** The observers of this command, and of the table that it is in or may move to. */
  observers?: (Observers | undefined)[] | undefined;
  /** The durable job that the command becomes, or to which it attaches. */
  durable?: DurableLink | undefined;
  /** Whether `run()` may leave the command to a table. */
  mayMove?: boolean;
  /** Whether the command ends with its host in any table. */
  endsWithHost?: boolean;
}

/** A command for the addon, with what keeps its surroundings alive, and the name of its terminal. */
export interface CommandSpec extends RunSpec {
  surroundings: SurroundingsPlan;
  more?: CommandMore | undefined;
  given?: GivenCall | undefined;
}

export type CommandMore = MoreSpec & { pty?: Terminal | undefined };
