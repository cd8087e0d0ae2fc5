import { checks } from './check-scenarios.ts';
import { complaints } from './complaint-scenarios.ts';
import { ends } from './end-scenarios.ts';
import { people } from './people-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** Courses of events and their results; `complaints` are about other products. */
export const scenarios: readonly Scenario[] = [...checks, ...complaints, ...people, ...ends];
