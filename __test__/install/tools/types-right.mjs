// Prints what Are The Types Wrong says of a packed package. All its ways to resolve count, the oldest too.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

const result = await checkPackage(
  createPackageFromTarballData(new Uint8Array(readFileSync(process.argv[2]))),
);
if (result.types?.kind !== 'included') throw new Error('the package has no types');
console.log(JSON.stringify(result.problems));
