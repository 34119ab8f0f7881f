// Prints the modules of Node that are loaded, each on a line.
console.log(process.moduleLoadList.filter((name) => name.startsWith('NativeModule ')).join('\n'));
