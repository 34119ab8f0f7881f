// `model` of the example for Mastra in docs/sdks.md.

import type { MastraModelConfig } from '@mastra/core/llm';
import { model as scripted } from './model.js';

// Mastra has types of its own for the same interface.
export const model: MastraModelConfig = scripted as unknown as MastraModelConfig;
