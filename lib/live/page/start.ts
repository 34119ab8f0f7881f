// The page of the server.

import { mountLive } from './component.mjs';

const KEY = 'agent-bash-token';

/** Returns the token: from the URL, from which it disappears, or from before. */
async function token(): Promise<string | null> {
  const given = location.hash.slice(1);
  if (given !== '') history.replaceState(null, '', location.pathname);
  if (given.startsWith('code=')) {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ code: given.slice('code='.length) });
    const response = await fetch('open', { method: 'POST', headers, body });
    if (response.ok) sessionStorage.setItem(KEY, ((await response.json()) as { token: string }).token);
  } else if (given !== '') {
    sessionStorage.setItem(KEY, given);
  }
  return sessionStorage.getItem(KEY);
}

/** Returns the recordings that the server has, with their texts. */
async function recordings(authorization: string): Promise<{ name: string; text: string }[]> {
  const headers = { authorization };
  const response = await fetch('recordings.json', { headers });
  if (!response.ok) return [];
  const names = (await response.json()) as string[];
  return Promise.all(
    names.map(async (name, index) => ({
      name,
      text: await (await fetch(`${index}.cast`, { headers })).text(),
    })),
  );
}

function showMessage(text: string): void {
  const note = document.createElement('p');
  note.textContent = text;
  note.className = 'note';
  document.body.append(note);
}

async function start(): Promise<void> {
  const own = await token();
  if (own === null) {
    showMessage('This page needs the whole link, with what follows the # in it.');
    return;
  }
  const place = document.createElement('div');
  place.id = 'live';
  document.body.append(place);
  place.addEventListener('livestatus', (event) => {
    const { title, running, questions } = (event as CustomEvent).detail;
    const asked = questions > 0 ? `(${questions}) ` : '';
    document.title = `${asked}${running > 0 ? '● ' : ''}${title}`;
  });
  const { nonce } = document.body.dataset;
  const shared = nonce === undefined ? {} : { nonce };
  try {
    const casts = await recordings(`Bearer ${own}`);
    mountLive(
      place,
      casts.length > 0 ? { recordings: casts, ...shared } : { url: './', token: own, ...shared },
    );
    // The keys of the page work at once.
    place.shadowRoot?.querySelector<HTMLElement>('.app')?.focus();
  } catch (error) {
    place.remove();
    showMessage(String(error instanceof Error ? error.message : error));
  }
}

start();
