export const ROOT: string;
export function staleSource(part: 'bundle' | 'addon'): string | undefined;
export function refuseStale(): void;
export function build(): Promise<boolean>;
