import { Overlay } from '../../overlay/overlay.mjs';
import { invalid, wrong } from '../checks.mjs';

/**
 * Checks `options.overlay`, and returns the options with what it stands for: its root, and the sandbox that a
 * command in it has at least.
 */
function withOverlay(options) {
  const { overlay, sandbox, root } = options;
  if (overlay === undefined) return options;
  if (!(overlay instanceof Overlay)) throw invalid('options.overlay', 'an Overlay', overlay);
  if (sandbox === false) {
    throw wrong("Invalid option 'options.sandbox': expected a sandbox next to an overlay, got false");
  }
  return { ...options, root: root ?? overlay.root, sandbox: sandbox ?? 'workspace-write' };
}

/** Returns the overlay for the addon: its number, and the handle that keeps the addon from forgetting it. */
function overlaySpec(overlay) {
  return overlay && { number: overlay.number, held: overlay };
}

export { overlaySpec, withOverlay };
