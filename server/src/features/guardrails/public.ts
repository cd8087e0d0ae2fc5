/** The parts of the guardrails that sessions and their runs use. */
export {
  admitCreation,
  admitDispatch,
  costLimit,
  GuardrailBlocked,
  recordingBlocks,
  requireAllowed,
  requiresPlanApproval,
  rulesOf,
  type GuardedRepository,
  type GuardedRules,
} from './admission-service.ts';
export { checkChange } from './change-check.ts';
export { checkCommand } from './command-check.ts';
export { whileOpening } from './opening-service.ts';
export type { Finding, Rules } from './rules.ts';
export { scanContent, secretFinding, type ScannedContent } from './secret-check.ts';
export { recordViolations } from './violation-service.ts';
