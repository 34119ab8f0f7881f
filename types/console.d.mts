export * from './console.js';
