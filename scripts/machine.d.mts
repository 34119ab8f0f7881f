export interface Row {
  readonly name: string;
  readonly packages: readonly string[];
  readonly leavesOut: string;
  readonly inCi: boolean;
  readonly rootOnly?: boolean;
  readonly install?: string;
  isThere(): boolean;
}

export const TABLE: readonly Row[];
export function has(name: string): boolean;
export const isRoot: boolean;
export function find(program: string): string | undefined;

/** Returns where cgroups of version 2 are mounted for root, or `undefined`. */
export function cgroupRoot(): string | undefined;
