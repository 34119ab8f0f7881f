import { spawn } from 'node:child_process';

// By its path: for a name, Windows looks into the working directory first, which is somebody's workspace.
const RUNDLL = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\rundll32.exe`;

/** The program that opens a URL, with its arguments before the URL. */
const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: [RUNDLL, 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the browser of this user. Resolves with whether there is a program for it. */
function openPage(url: string): Promise<boolean> {
  const [program = '', ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

export { openPage };
