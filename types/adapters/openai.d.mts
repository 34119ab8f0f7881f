export * from './openai.js';
