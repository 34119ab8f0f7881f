// bash() by its own entry point. It picks its shell itself.

const { bash } = require('../../../entry/bash.js');

exports.run = (command) => bash({ command }, process.cwd());
