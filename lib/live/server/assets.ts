import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Reply } from './requests.ts';

/** The files of the page, which hold no data. */
const FILES: Record<string, string> = {
  'component.mjs': 'text/javascript; charset=utf-8',
  'page.mjs': 'text/javascript; charset=utf-8',
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3.5" fill="#1f2430"/>
<path d="M4 5l3 3-3 3M8.5 11.5H12" fill="none" stroke="#7ee2b8" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const STYLE = `html,body{height:100%;margin:0}
body{background:Canvas;color:CanvasText;color-scheme:light dark}
noscript{display:block;padding:2rem;font:1rem system-ui}`;

/** Returns the answer with a file of the page; `undefined` if there is none of this name. */
function asset(name: string): Reply | undefined {
  if (name === '') return page();
  if (name === 'icon.svg') return file('image/svg+xml', ICON);
  if (name === 'page.css') return file('text/css; charset=utf-8', STYLE);
  const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (type === undefined) return undefined;
  // Beside this code in the bundle.
  return file(type, readFileSync(new URL(`./live/${name}`, import.meta.url)));
}

function file(type: string, body: string | Uint8Array): Reply {
  return { status: 200, headers: { 'content-type': type }, body };
}

function page(): Reply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The terminal adds style elements and style attributes of its own.
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agent-bash</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.mjs"></script>
</head>
<body data-nonce="${nonce}"><noscript>This page needs JavaScript.</noscript></body>
</html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
  };
  return { status: 200, headers, body };
}

export { asset };
