const { run } = require('../../../index.js');

exports.run = (command, shell) => run(command, { shell });
