// Takes one sample, in a process of its own: worker.mjs PEER_FILE SCENARIO_FILE. Prints the measured values
// as JSON.

import { useShell } from './shell.mjs';

const [peerFile, scenarioFile] = process.argv.slice(2);
const { measure, shell } = await import(scenarioFile);
if (shell) useShell(shell);
const values = await measure(() => import(peerFile), peerFile);
// No `process.exit()`, so that a peer that keeps its host alive is noticed.
process.stdout.write(JSON.stringify(values));
