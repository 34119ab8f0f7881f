export interface Download {
  readonly folder: string;
  readonly what: string;
  readonly megabytes: number;
  readonly flags?: readonly string[];
}

export const DOWNLOADS: readonly Download[];
export function isInstalled(download: Download): boolean;
export function installFor(folder: string): Promise<void>;
