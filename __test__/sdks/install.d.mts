export function installSdks(): Promise<void>;
