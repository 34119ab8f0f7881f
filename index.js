'use strict';

const { bash } = require('./lib/bash.js');
const { BashJob } = require('./lib/bash-job.js');

module.exports = { bash, BashJob };
