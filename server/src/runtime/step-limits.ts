import type { ProvisioningStep } from '../features/sessions/schemas/event-schemas.ts';

/** Limits for the steps of provisioning, in milliseconds. */
export type StepLimits = Readonly<Record<Exclude<ProvisioningStep, 'registries'>, number>>;

export const stepLimitsMs: StepLimits = {
  mirror: 15 * 60_000,
  setup: 60 * 60_000,
  checkpoint: 15 * 60_000,
  sandbox: 5 * 60_000,
  checkout: 15 * 60_000,
};
