import type { Context } from '../app/context.ts';
import type { Feature, Route } from '../http/route.ts';
import type { MaintenanceTask } from '../jobs/maintenance.ts';
import type { NameLists } from '../lib/names.ts';
import type { Consumer } from '../outbox/consumer.ts';

/** A resource group: everything that the platform has to know of it. Another mount of the same group is one more. */
export interface FeatureDefinition extends Omit<Feature, 'routes' | 'errors'>, NameLists {
  /** Called once for each API process; workers have no use for routes, so they are imported here. */
  routes(ctx: Context): Route[] | Promise<Route[]>;
  /** Work that the installation does for this group at fixed times. */
  maintenance?: readonly MaintenanceTask<Context>[];
  /** What this group does when something happens in another one. */
  consumers?: readonly Consumer<Context>[];
}

/** Declares a resource group; it counts once it is in `index.ts`. */
export function defineFeature(definition: FeatureDefinition): FeatureDefinition {
  return definition;
}

/** Loads the routes of features, in their order. */
export async function loadRoutes(definitions: readonly FeatureDefinition[], ctx: Context): Promise<Feature[]> {
  return Promise.all(definitions.map(async (feature) => ({ ...feature, routes: await feature.routes(ctx) })));
}
