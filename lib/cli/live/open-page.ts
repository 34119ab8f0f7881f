import { spawn } from 'node:child_process';

/** Opens a URL in the browser of this user. Resolves with whether there is a program for it. */
function openPage(url: string): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [url], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

export { openPage };
