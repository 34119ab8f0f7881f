// `agent-bash/live/component`, for browsers and Electron renderers. Read in this order: app, model,
// command-list, detail, question-bar, sources.

import xtermStyle from '@xterm/xterm/css/xterm.css';
import type { From } from './app.ts';
import { App } from './app.ts';
import style from './style.css';

/** Shows a live view in an element. Returns a function that removes it. */
function mountLive(target: HTMLElement, from: From): () => void {
  const root = target.shadowRoot ?? target.attachShadow({ mode: 'open' });
  const sheets = [xtermStyle, style].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  root.adoptedStyleSheets = sheets;
  const app = new App(from, (detail) => target.dispatchEvent(new CustomEvent('livestatus', { detail })));
  root.append(app.element);
  return () => app.dispose();
}

export { mountLive };
