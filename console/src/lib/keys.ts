/** The keys of everything that is read from the API: organization, resource, and what of it. */
export const keys = {
  /** Who is signed in in this browser, and how one can sign in. */
  entrance: () => ['entrance'] as const,
  invitation: (token: string) => ['invitation', token] as const,
  organizations: () => ['organizations'] as const,
  self: (org: string) => [org, 'self'] as const,
  /** Everything of a resource. */
  all: (org: string, resource: string) => [org, resource] as const,
  list: (org: string, resource: string, filters: object = {}) => [org, resource, 'list', filters] as const,
  lists: (org: string, resource: string) => [org, resource, 'list'] as const,
  one: (org: string, resource: string, id: string) => [org, resource, id] as const,
  part: (org: string, resource: string, id: string, part: string) => [org, resource, id, part] as const,
};
