/** The part of reviews that metrics use. */
export { reviewOutcomes } from './outcome-store.ts';
