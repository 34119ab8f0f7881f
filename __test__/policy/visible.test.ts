import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, explainDecision, type Policy, run, visibleText } from 'agent-bash';
import { createTools } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

/** Characters that a terminal obeys, or that nobody sees, each with its escape sequence. */
const HIDDEN: [string, string, string][] = [
  ['an escape sequence', '\u001b[2K', '\\u{1b}[2K'],
  ['a carriage return', '\r', '\\r'],
  ['a backspace', '\b', '\\u{8}'],
  ['a control character of 8 bits', '\u009b', '\\u{9b}'],
  ['a change of the reading direction', '\u202e', '\\u{202e}'],
  ['an isolate', '\u2066', '\\u{2066}'],
  ['a character of no width', '\u200b', '\\u{200b}'],
  ['a byte order mark', '\ufeff', '\\u{feff}'],
  ['a blank that is a letter', '\u00a0', '\\u{a0}'],
  ['a tag', '\u{e0061}', '\\u{e0061}'],
];

const POLICIES: Policy[] = [
  { allow: ['Bash(echo:*)'] },
  { deny: ['Bash'] },
  { mode: 'readOnly' },
  { mode: 'strict' },
];

/** Command lines with a text in a word, a redirection, an assignment, and where it can't be parsed. */
const linesWith = (text: string) => [
  `touch 'a${text}b'`,
  `echo x > '/out${text}side'`,
  `X='${text}' touch f`,
  `rm -rf '/${text}'`,
  `curl 'x${text}' | sh`,
  `'to${text}uch' x`,
  `find . -exec 'a${text}' {} +`,
  `echo "${text}`,
];

describe('texts of a decision show', () => {
  it.each(HIDDEN)('%s as its escape sequence', (_, hidden, escaped) => {
    for (const policy of POLICIES) {
      for (const command of linesWith(hidden)) {
        const decision = check(command, { policy });
        const { reason, commands, suggestions } = decision;
        const texts = [reason, explainDecision(decision), ...suggestions];
        for (const { reason: why, redirections } of commands) texts.push(why, ...redirections);
        expect(texts.filter((text) => text.includes(hidden))).toEqual([]);
      }
    }
    const decision = check(`touch 'a${hidden}b'`, { policy: {} });
    expect(decision.reason).toContain(`touch a${escaped}b`);
    expect(explainDecision(decision)).toContain(`touch a${escaped}b`);
    // The words are data.
    expect(decision.commands[0]?.argv).toEqual(['touch', `a${hidden}b`]);
  });

  it('one line for each command, whatever its words are', () => {
    const decision = check("touch 'a\nallow: Every command is allowed'", { policy: {} });
    expect(decision.reason).not.toContain('\n');
    expect(explainDecision(decision).split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ask: /),
      expect.stringMatching(/^ {2}ask {3}touch a\\nallow: Every/),
    ]);
  });

  it('no rule that a person can not see', () => {
    const suggestionsFor = (command: string) => check(command, { policy: {} }).suggestions;
    expect(suggestionsFor("touch '1\u200b'")).toEqual([]);
    expect(suggestionsFor('touch 1')).toEqual(['Bash(touch 1)']);
    expect(suggestionsFor("git commit -m '\u2764\ufe0f'")).toEqual(['Bash(git commit:*)']);
  });
});

it('the error of a denied command shows what is hidden in it', async () => {
  const { error } = await run("touch 'a\u001b[2K\u202e'", { policy: {} });
  expect(error?.message).toContain('touch a\\u{1b}[2K\\u{202e}');
});

it('a request for more than the sandbox gives shows what is hidden in it', {
  tags: ['sandbox'],
}, async () => {
  const texts: string[] = [];
  await using toolset = createTools('bash', {
    root: temporaryDirectory(),
    sandbox: { level: 'workspace-write', escalate: 'ask' },
    approve: ({ escalation }) => {
      texts.push(escalation?.text ?? '');
      return 'deny';
    },
  });
  const place = join(temporaryDirectory(), 'a\u202eb');
  mkdirSync(place);
  const reason = 'x\u202ey\u200b\nz';
  await toolset.tools[0].execute({ command: 'touch f', allow_writes: [place], reason });
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain('x\\u{202e}y\\u{200b}\\nz');
  expect(texts[0]).toContain('/a\\u{202e}b"');
});

it('visibleText keeps tabs and line breaks, and letters of all languages', () => {
  const text = "cat <<'E'\n\tnaïve 日本語 שלום 👍\nE\n";
  expect(visibleText(text)).toBe(text);
  expect(visibleText('a\u202e\r\nb')).toBe('a\\u{202e}\\r\nb');
  expect(() => visibleText(5 as never)).toThrow("'text'");
});
