export interface Resources {
  children: string[];
  descriptors: string[];
  threads: string[];
}

export function until<T>(
  condition: () => T | Promise<T>,
  what?: string,
  timeout?: number,
): Promise<Exclude<T, false | null | undefined | 0 | ''>>;
export function living(text: string): number[];
export function programs(path: string): number[];
export function children(): string[];
export function descriptors(): string[];
export function isAlive(pid: number): boolean;
export function guardians(): number[];
export function parentOf(pid: number): number;
export function isCalm(): boolean;
export function threads(): string[];
export function resources(): Resources;
export function residentMemory(): number;
