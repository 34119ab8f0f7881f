#!/usr/bin/env node
'use strict';

require('../bundle/cli.cjs').main(process.argv.slice(2));
