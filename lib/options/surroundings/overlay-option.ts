import { Overlay } from '../../overlay/overlay.ts';
import type { Given } from '../checks.ts';
import { invalid, wrong } from '../checks.ts';

type Around = Given<'overlay' | 'sandbox' | 'root'>;

/** Checks the option `overlay`. */
function overlayOf(name: string, overlay: unknown): Overlay {
  if (overlay instanceof Overlay) return overlay;
  throw invalid(name, 'an Overlay', overlay);
}

/**
 * Checks `options.overlay`, and returns the options with what it stands for: its root, and the sandbox that a
 * command in it has at least.
 */
function withOverlay<Options extends Around>(options: Options): Options & { overlay?: Overlay } {
  const { sandbox, root } = options;
  if (options.overlay === undefined) return options as Options & { overlay?: Overlay };
  const overlay = overlayOf('options.overlay', options.overlay);
  if (sandbox === false) {
    throw wrong("Invalid option 'options.sandbox': expected a sandbox next to an overlay, got false");
  }
  return { ...options, overlay, root: root ?? overlay.root, sandbox: sandbox ?? 'workspace-write' };
}

export { overlayOf, withOverlay };
