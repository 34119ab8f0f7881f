const { bash } = require('../../../index.js');

exports.run = (command) => bash({ command }, process.cwd());
