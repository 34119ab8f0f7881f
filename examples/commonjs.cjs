// bash() from CommonJS.
const { bash } = require('../index.js');

bash({ command: 'head -n 1 LICENSE' }, `${__dirname}/..`, true).then((answer) => console.log(answer));
