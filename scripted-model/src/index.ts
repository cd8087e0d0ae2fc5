export type { Fault } from './faults.ts';
export { script, type Call, type Step, type Usage } from './script.ts';
export { startScriptedModel, type RecordedRequest, type ScriptedModel } from './server.ts';
export type { Api } from './wire.ts';
