export function scaled(amount: number): number;
export function within(ms: number): number;
