// `agent-bash/testing`: commands of a test answer from a recording or a script.

// Imports the rest of the package: otherwise the bundler would put the code that both need into separate
// files.
import '../features.ts';
import '../index.ts';

export { joinTest } from './children/child.ts';
export { matchers, resultSerializer } from './matchers.ts';
export { faults } from './play/faults.ts';
export { withShell } from './shell/shell.ts';
export { beforeTests, ShellTests } from './shell/tests.ts';
