/** The fields that can be a resource's name, the best first. */
const nameFields = ['name', 'title', 'key', 'email', 'cidr', 'slug'] as const;
/** The verbs of actions whose fields are the resource's own. */
const describing = /\.(add|create|update|delete|restore|revoke|resend)$/;

interface Entry {
  action: string;
  outcome: string;
  resource: { type: string; id: string };
  changes: object;
}

/** Returns the name that an entry gives its resource; undefined if it gives none. */
function nameIn({ action, outcome, resource, changes }: Entry): string | undefined {
  if (outcome !== 'success' || !describing.test(action)) return undefined;
  const fields = resource.type === 'repository' ? (['repo'] as const) : nameFields;
  const values: unknown[] = fields.map((field) => Reflect.get(changes, field));
  return values.find((value) => typeof value === 'string' && value !== '')?.toString();
}

/** Returns the newest name of each resource that entries, newest first, name; by id. */
export function namesIn(entries: readonly Entry[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const entry of entries) {
    const name = nameIn(entry);
    if (name !== undefined && !names.has(entry.resource.id)) names.set(entry.resource.id, name);
  }
  return names;
}

/** Returns the actions whose entries name a resource of a type. */
export function namingActions(type: string): string[] {
  return type === 'ip_entry' ? ['ip_access_list.add'] : [`${type}.create`, `${type}.update`];
}

/** True for an id of the platform; other resources are known by their names. */
export function isId(text: string): boolean {
  return /^[a-z]+_[0-9a-z]{26}$/.test(text);
}

/** Types of resources whose fields have a shorter name. */
const typesByField: Readonly<Record<string, string>> = {
  connection: 'git_connection',
  note: 'knowledge_note',
  owner: 'user',
  person: 'user',
};

/** Returns the resources that the fields of an entry name by their ids. */
export function resourcesIn(changes: object): { type: string; id: string }[] {
  return Object.entries(changes).flatMap(([field, value]: [string, unknown]) => {
    const about = field.replace(/_id$/, '');
    return typeof value === 'string' && isId(value) ? [{ type: typesByField[about] ?? about, id: value }] : [];
  });
}
