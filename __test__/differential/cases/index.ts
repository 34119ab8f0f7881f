import { args } from './args.js';
import type { Case } from './case.js';
import { characters } from './characters.js';
import { cuts } from './cuts.js';
import { directories } from './directories.js';
import { environment } from './environment.js';
import { exits } from './exits.js';
import { inheritance } from './inheritance.js';
import { limits } from './limits.js';
import { longCommands } from './long-commands.js';
import { safePrograms } from './safe-programs.js';
import { safeSearch } from './safe-search.js';
import { safeWords } from './safe-words.js';
import { shellLanguage } from './shell-language.js';
import { streams } from './streams.js';

export const themes: Record<string, Case[]> = {
  'the streams': streams,
  'the exit code': exits,
  'the shell’s language': shellLanguage,
  'the environment': environment,
  'the directory': directories,
  'what a child inherits': inheritance,
  'the output limit': limits,
  'the cut inside a character': cuts,
  'bytes that are no UTF-8': characters,
  'the arguments of the call': args,
  'long commands': longCommands,
  'the words of safe mode': safeWords,
  'the programs of safe mode': safePrograms,
  'the search for a program in safe mode': safeSearch,
};
