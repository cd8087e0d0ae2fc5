/** Blobs that belong to an organization, by the first segment of their keys; the second one is the organization. */
export const blobKinds = ['artifacts', 'attachments', 'checkpoints'] as const;

/** All that counts; repositories are those of the built-in git host. */
export const kinds = ['repositories', ...blobKinds] as const;
