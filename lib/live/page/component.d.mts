export { mountLive } from './index.ts';
