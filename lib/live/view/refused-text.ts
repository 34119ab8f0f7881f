import type { SandboxRefusal } from '../../options/surroundings/sandbox-api.ts';

/** Names what a sandbox has refused. */
export function refusedText(refusal: SandboxRefusal): string {
  switch (refusal.kind) {
    case 'network':
      return `${refusal.host}:${refusal.port}`;
    case 'request':
      return `${refusal.method} ${refusal.path} at ${refusal.host}:${refusal.port}`;
    case 'name':
      return refusal.host;
    case 'socket':
      return refusal.path;
    case 'no-network':
      return 'the network';
  }
}
