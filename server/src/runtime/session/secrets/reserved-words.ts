import { provisioningSteps } from '../../../features/sessions/schemas/event-schemas.ts';
import {
  phaseNames,
  phaseStatuses,
  sandboxStates,
  statusDetails,
  statuses,
} from '../../../features/sessions/schemas/session-schemas.ts';

/**
 * Words of eight letters and more that stand alone in a field of an event, a record or a diff, and mean something there. One
 * of them as a secret is masked in every text, but not there: nobody learns anything from it, and nothing would work.
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
