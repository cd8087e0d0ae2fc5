/** The parts of git connections that repositories and webhooks use. */
export { connectionsOfHook } from './app-store.ts';
export { noteHostChanged } from './hook-service.ts';
export { connectionOfHook, type HookConnection } from './hook-store.ts';
