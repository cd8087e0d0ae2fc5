/** The parts of automations that the webhooks of the platform use. */
export { receiveHook } from './hook-service.ts';
export { hookExists } from './hook-store.ts';
export { maxPayloadBytes } from './run-now-service.ts';
