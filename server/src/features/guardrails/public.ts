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
export { checkChange, checkFile } from './change-check.ts';
export { checkCommand } from './command-check.ts';
export { whileOpening } from './opening-service.ts';
export type { Finding } from './rules.ts';
export { scanContent, secretFinding, usualScanTime, type ScannedContent } from './secret-check.ts';
export { limitedDays, spendingFinding, type RepositoryDay } from './spending-service.ts';
export { recordViolations } from './violation-service.ts';
