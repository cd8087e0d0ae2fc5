import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false };
const Run = Type.Object(
  {
    status: Type.Integer(),
    /** Occurrences of the expected text in all of the output. */
    count: Type.Integer({ minimum: 0 }),
    output: Type.String({ maxLength: 8_000 }),
  },
  closed,
);

/** The structured output of the session that runs commands. */
export const ProofOutput = Type.Object(
  { runs: Type.Array(Type.Object({ id: Type.String(), head: Run, base: Run }, closed), { maxItems: 100 }) },
  closed,
);
export type ProofRun = Static<typeof ProofOutput>['runs'][number];

/** Statuses of a command that could not run, or was ended: they show nothing. */
const unclear = new Set([124, 125, 126, 127, 137, 143]);

/**
 * Judges what a command shows. `reproduced`: it fails on the head for the expected reason, and does not on the base. `pre_existing`:
 * it fails alike on both. `unproved`: anything else.
 */
export function judge({ head, base }: ProofRun, expects: string): 'reproduced' | 'pre_existing' | 'unproved' {
  if (head.status === 0 || unclear.has(head.status) || unclear.has(base.status)) return 'unproved';
  if (expects === '')
    return base.status === 0 ? 'reproduced' : base.status === head.status ? 'pre_existing' : 'unproved';
  if (head.count === 0) return 'unproved';
  return head.count > base.count ? 'reproduced' : 'pre_existing';
}

/** Returns what the platform saw, as a finding's evidence. */
export function evidenceOf(command: string, { head, base }: ProofRun): string {
  const most = 3_000;
  const output = head.output.trim().slice(-most);
  return `$ ${command}\n${output}\nexit code ${head.status} on the head, ${base.status} on the base`;
}
