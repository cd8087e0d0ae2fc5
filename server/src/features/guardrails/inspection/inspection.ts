import type { CommandVerdict } from './commands.ts';
import type { SecretPlace } from './secrets.ts';

/** A text to inspect. */
export type Inspection =
  | { kind: 'command'; command: string; patterns: readonly string[] }
  | { kind: 'secrets'; path: string; text: string };

export type InspectionAnswer =
  | { kind: 'command'; verdict: CommandVerdict }
  | { kind: 'secrets'; places: SecretPlace[] }
  | { kind: 'failed'; message: string };
