import { Overlay } from '../../overlay/overlay.ts';
import type { Given } from '../checks.ts';
import { invalid, wrong } from '../checks.ts';

/** An overlay for the addon, which would forget it without `held`. */
export interface OverlayPlan {
  number: number;
  held: Overlay;
}

type Around = Given<'overlay' | 'sandbox' | 'root'>;

/**
 * Checks `options.overlay`, and returns the options with what it stands for: its root, and the sandbox that a
 * command in it has at least.
 */
function withOverlay<Options extends Around>(options: Options): Options & { overlay?: Overlay } {
  const { overlay, sandbox, root } = options;
  if (overlay === undefined) return options as Options & { overlay?: Overlay };
  if (!(overlay instanceof Overlay)) throw invalid('options.overlay', 'an Overlay', overlay);
  if (sandbox === false) {
    throw wrong("Invalid option 'options.sandbox': expected a sandbox next to an overlay, got false");
  }
  return { ...options, overlay, root: root ?? overlay.root, sandbox: sandbox ?? 'workspace-write' };
}

/** Returns the overlay for the addon: its number, and the handle that keeps the addon from forgetting it. */
function overlaySpec(overlay: Overlay | undefined): OverlayPlan | undefined {
  return overlay && { number: overlay.number, held: overlay };
}

export { overlaySpec, withOverlay };
