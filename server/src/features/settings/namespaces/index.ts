import type { Static, TSchema } from 'typebox';
import { automations } from './automations.ts';
import { budgets } from './budgets.ts';
import type { NamespaceDefinition } from './define.ts';
import { knowledge } from './knowledge.ts';
import { memory } from './memory.ts';
import { models } from './models.ts';
import { notifications } from './notifications.ts';
import { retention } from './retention.ts';
import { reviews } from './reviews.ts';
import { runTags } from './run-tags.ts';
import { sandbox } from './sandbox.ts';
import { sessions } from './sessions.ts';
import { sourceControl } from './source-control.ts';

/** All settings namespaces, in the order of lists. */
export const namespaces = {
  run_tags: runTags,
  models,
  sessions,
  source_control: sourceControl,
  reviews,
  automations,
  memory,
  knowledge,
  sandbox,
  notifications,
  retention,
  budgets,
} as const;

export type Namespace = keyof typeof namespaces;

/** The whole value of a namespace, as it is in effect. */
export type Setting<N extends Namespace> = Static<(typeof namespaces)[N]['value']>;

type Definition<N extends Namespace> = NamespaceDefinition<TSchema, Setting<N>>;

/** Returns a namespace's definition. */
export function definitionOf<N extends Namespace>(namespace: N): Definition<N> {
  const definitions: { [K in Namespace]: Definition<K> } = namespaces;
  return definitions[namespace];
}
