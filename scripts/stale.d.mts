export const ROOT: string;
export function staleSource(part: 'bundle' | 'addon'): string | undefined;
export function buildStaleBundle(): void;
export function refuseStaleAddon(): void;
export function build(): Promise<boolean>;
