import type { Context } from '../app/context.ts';
import type { Feature, Route } from '../http/route.ts';
import type { MaintenanceTask } from '../jobs/maintenance.ts';
import type { Retention } from '../jobs/retention.ts';
import type { NameLists } from '../lib/names.ts';
import type { Consumer } from '../outbox/consumer.ts';

/** The dependencies of retention, which the operator's command line has, too. */
export type RetentionContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'log'>;

/**
 * A resource group: everything that the platform needs to know about it. A second mount of the same group needs another
 * definition.
 */
export interface FeatureDefinition extends Omit<Feature, 'routes' | 'errors'>, NameLists {
  /** Called once per API process. Import the routes here, because workers do not need them. */
  routes(ctx: Context): Route[] | Promise<Route[]>;
  /** Maintenance that the installation runs at fixed times. */
  maintenance?: readonly MaintenanceTask<Context>[];
  /** Data that is removed when it is too old, or when nothing refers to it. */
  retention?: readonly Retention<RetentionContext>[];
  /** Reactions to events of other groups. */
  consumers?: readonly Consumer<Context>[];
}

/** Declares a resource group; add it to `index.ts`. */
export function defineFeature(definition: FeatureDefinition): FeatureDefinition {
  return definition;
}

/** Loads the routes of features, in the order of the features. */
export async function loadRoutes(definitions: readonly FeatureDefinition[], ctx: Context): Promise<Feature[]> {
  return Promise.all(definitions.map(async (feature) => ({ ...feature, routes: await feature.routes(ctx) })));
}
