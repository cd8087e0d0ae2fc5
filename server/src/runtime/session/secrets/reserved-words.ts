import { provisioningSteps } from '../../../features/sessions/schemas/event-schemas.ts';
import {
  phaseNames,
  phaseStatuses,
  sandboxStates,
  statusDetails,
  statuses,
} from '../../../features/sessions/schemas/session-schemas.ts';

/**
 * Values of enum fields in events, records and diffs, of eight letters and more. A secret with such a value is masked in texts,
 * but not in these fields: masking would break them, and they reveal nothing.
 */
export const reservedWords: ReadonlySet<string> = new Set([
  ...statuses,
  ...statusDetails,
  ...sandboxStates,
  ...phaseNames,
  ...phaseStatuses,
  ...provisioningSteps,
  'artifact',
  'assistant',
  'awaiting_user',
  'branch_pushed',
  'change_request',
  'compacted',
  'in_progress',
  'interrupted',
  'modified',
  'reasoning',
  'shortened',
  'tool-call',
  'tool_call',
  'tool_result',
]);
