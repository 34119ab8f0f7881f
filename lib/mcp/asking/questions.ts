// Questions about a command that runs, which the user of the client answers in a form.

import type { ConnectAnswer, ConnectQuestion, Prompt } from 'agent-bash';
import { visibleText } from 'agent-bash';
import { messageOf } from '../../support/message-of.ts';
import { calls } from './asking-call.ts';
import { shownCommand } from './request.ts';

/** The only field of the form about a host. */
const REMEMBERED = 'remember';

/** The only field of the form of a prompt. */
const ANSWER = 'answer';

/** The longest answer to a prompt (characters of one byte). */
const MAX_ANSWER = 1_024;

/** Matches a text that asks for a secret, whatever its program says of the kind. */
const SECRET = /pass(?:word|phrase|code)|secret|\bpin\b/i;

/** Implements `elicitConnect()` of the API. */
async function elicitConnect({ host, port, command, signal }: ConnectQuestion): Promise<ConnectAnswer> {
  const call = calls.getStore();
  if (call === undefined) throw new Error('no client of MCP has started the command');
  const lasting = {
    type: 'boolean' as const,
    title: 'Also for later commands',
    default: false,
  };
  const message = `Let this command connect to ${host}:${port}?\n\n${shownCommand(command)}`;
  const { action, content } = await call.ask(
    {
      message: visibleText(message),
      requestedSchema: { type: 'object', properties: { [REMEMBERED]: lasting } },
    },
    signal,
  );
  if (action !== 'accept') return 'no';
  return content?.[REMEMBERED] === true ? 'always' : 'once';
}

/** Implements `elicitPrompt()` of the API. */
async function elicitPrompt(prompt: Prompt): Promise<string | null> {
  const { kind, text, program, signal } = prompt;
  const call = calls.getStore();
  if (call === undefined) throw new Error('no client of MCP has started the command');
  const decline = (reason: string): null => {
    if (!call.note(`(${program} asked for ${NAMES[kind]}, and got no answer: ${reason})`))
      throw new Error(reason);
    return null;
  };
  if (kind === 'password' || SECRET.test(withoutAddresses(text))) return decline(NO_SECRETS);
  try {
    return answerOf(kind, await call.ask(kind === 'confirm' ? confirmation(prompt) : field(prompt), signal));
  } catch (error) {
    if (signal.aborted) return null;
    return decline(messageOf(error));
  }
}

const NAMES = { password: 'a password', text: 'a text', confirm: 'a confirmation' };

const NO_SECRETS =
  'MCP forbids forms that ask for secrets. Use what needs no password (a key in an ssh agent, a credential ' +
  'helper of git, a NOPASSWD rule of sudo), or let the user run the command in a terminal';

/** Returns a text without the addresses in it, whose names say nothing of what is asked for. */
function withoutAddresses(text: string): string {
  return text.replace(/\w+:\/\/[^\s']+/g, '');
}

function confirmation(prompt: Prompt) {
  return {
    message: `${messageFor(prompt)}\n\nTo accept answers yes, to decline answers no.`,
    requestedSchema: { type: 'object' as const, properties: {} },
  };
}

function field(prompt: Prompt) {
  const answer = { type: 'string' as const, title: 'Answer', maxLength: MAX_ANSWER };
  const requestedSchema = { type: 'object' as const, properties: { [ANSWER]: answer }, required: [ANSWER] };
  return { message: messageFor(prompt), requestedSchema };
}

/** Returns the words about a prompt, whose own text is a quotation: the command can have chosen it. */
function messageFor({ program, text, command }: Prompt): string {
  return `${program} asks: “${text.trim()}”\n\nThe command:\n\n${visibleText(shownCommand(command))}`;
}

function answerOf(
  kind: Prompt['kind'],
  { action, content }: { action: string; content?: Record<string, unknown> | undefined },
): string | null {
  if (kind === 'confirm') return action === 'accept' ? 'yes' : action === 'decline' ? 'no' : null;
  const answer = content?.[ANSWER];
  return action === 'accept' && typeof answer === 'string' ? answer : null;
}

export { elicitConnect, elicitPrompt };
