export function nothingFor(ms: number): Promise<void>;
export function deliberateDelay(ms: number): Promise<void>;
export function unchangedFor<T>(ms: number, read: () => T): Promise<T>;
export function blockThread(ms: number): void;
