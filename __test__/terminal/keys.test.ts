import { describe, expect, it } from 'vitest';
import { keys } from '../../index.js';

describe('keys()', () => {
  it.each([
    ['enter', '\r'],
    ['tab', '\t'],
    ['escape', '\x1b'],
    ['backspace', '\x7f'],
    ['space', ' '],
    ['up', '\x1b[A'],
    ['Home', '\x1b[H'],
    ['delete', '\x1b[3~'],
    ['page-up', '\x1b[5~'],
    ['f1', '\x1bOP'],
    ['f12', '\x1b[24~'],
    ['ctrl-c', '\x03'],
    ['ctrl-[', '\x1b'],
    ['ctrl-space', '\0'],
    ['ctrl-?', '\x7f'],
    ['alt-b', '\x1bb'],
    ['alt-B', '\x1bB'],
    ['alt-enter', '\x1b\r'],
    ['ctrl-alt-a', '\x1b\x01'],
    ['shift-tab', '\x1b[Z'],
    ['ctrl-left', '\x1b[1;5D'],
    ['shift-f5', '\x1b[15;2~'],
    ['ctrl-shift-up', '\x1b[1;6A'],
    ['alt--', '\x1b-'],
    ['ctrl-_', '\x1f'],
    ['a', 'a'],
    ['é', 'é'],
    ['-', '-'],
  ])('sends %s as xterm does', (name, text) => {
    expect(keys(name)).toBe(text);
  });

  it('joins several', () => {
    expect(keys('down', 'down', 'enter')).toBe('\x1b[B\x1b[B\r');
    expect(keys()).toBe('');
  });

  it.each(['', 'entr', 'ctrl-', 'ctrl-é', 'hyper-a', 5])('names a key that there is not: %s', (name) => {
    expect(() => keys(name as string)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }));
  });
});
