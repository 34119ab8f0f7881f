export function makeWorkspace(directory: string): string;
export function killHost(root: string, seconds: string, moment: number): Promise<number>;
export function leftOf(root: string, seconds: string, pid: number): string[];
