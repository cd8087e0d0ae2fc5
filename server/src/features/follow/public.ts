/** The parts of following that other groups use. */
export { mentionNames } from './decide/names.ts';
export { marker } from './decide/talk.ts';
export { dataBlock } from './message-text.ts';
export { followOutcomes } from './outcome-store.ts';
export { mentionsSince, unheardReason } from './policy-service.ts';
export { readAccount } from './store.ts';
