/** Blobs of an organization, by the first segment of their keys; the second one is the organization. */
export const blobKinds = ['artifacts', 'attachments', 'checkpoints'] as const;

/** All kinds that count; repositories are those of the built-in git host, and wikis are rows of the database. */
export const kinds = ['repositories', ...blobKinds, 'wikis'] as const;
