export const MAX_ADDON_BYTES: number;
export const MAX_HELPER_BYTES: number;
export const MAX_INTERCEPTOR_BYTES: number;
export function isPortable(file: string): boolean;
export function maxAddonBytes(file: string): number;
export function maxHelperBytes(file: string): number;
