import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { ProgressRequest } from '../progress.ts';

/** A form of questions: a text, and flat fields. */
export interface Form {
  message: string;
  requestedSchema: { type: 'object'; properties: Record<string, object>; required?: string[] };
}

/** The user's answer to a form. The client has not checked the fields. */
export interface FormAnswer {
  action: string;
  content?: Record<string, unknown> | undefined;
}

/** The part of a request by which its user is asked. */
export interface AskingRequest extends ProgressRequest {
  id: string | number;
  signal: AbortSignal;
  requestState: () => unknown;
  inputResponses?: Record<string, unknown> | undefined;
  /** The description of the client in the request, in the newer era. */
  envelope?: unknown;
  /** Asks the user, in the older era. */
  elicitInput?: (
    form: Form & { mode: 'form' },
    options: { signal: AbortSignal; timeout: number },
  ) => Promise<FormAnswer>;
}

/** Returns the capabilities that the client has named in `initialize`, in the older era. */
export type Capabilities = () => ClientCapabilities | undefined;

/** Length at which a command is cut in a question (characters). */
const SHOWN_LENGTH = 10_000;

/** Returns whether the client of a request shows forms to its user. */
function canAsk({ envelope }: AskingRequest, capabilities: Capabilities): boolean {
  const own = envelope as Record<string, ClientCapabilities | undefined> | undefined;
  const { elicitation } = own?.[CLIENT_CAPABILITIES_META_KEY] ?? capabilities() ?? {};
  if (elicitation === undefined) return false;
  // An empty object is the first version of the capability, and means forms.
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** Returns a command for a question, without the end of a very long one. */
function shownCommand(command: string): string {
  if (command.length <= SHOWN_LENGTH) return command;
  return `${command.slice(0, SHOWN_LENGTH)}\n… and ${command.length - SHOWN_LENGTH} characters more`;
}

export { canAsk, shownCommand };
