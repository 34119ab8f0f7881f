// Declarations of the SDKs, as far as this package uses them. The SDKs belong to the caller, and are not
// installed here.

declare module '@langchain/core/messages' {
  export class ToolMessage {
    constructor(fields: {
      status: 'error';
      content: string;
      artifact: unknown;
      tool_call_id: string;
      name: string;
    });
  }
}

declare module '@langchain/core/tools' {
  export class DynamicStructuredTool {
    constructor(fields: {
      name: string;
      description: string;
      schema: unknown;
      responseFormat: 'content_and_artifact';
      extras?: unknown;
      func: (
        input: unknown,
        manager: unknown,
        config: unknown,
      ) => Promise<[content: unknown, artifact: unknown]>;
    });
    name: string;
    description: string;
  }
}

declare module '@openai/agents' {
  export const tool: ((options: object) => { invoke: unknown; needsApproval: unknown }) | undefined;
}

declare module '@anthropic-ai/sdk/lib/tools/ToolError' {
  export const ToolError: (new (text: string) => Error) | undefined;
}
