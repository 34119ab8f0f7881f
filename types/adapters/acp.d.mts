export * from './acp.js';
