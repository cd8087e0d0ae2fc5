/** A repository's name. Where it does not fit, its end stays: many names begin with the same owner. */
export function RepositoryName({ repo }: { repo: string }) {
  return (
    <span className="block truncate text-left [direction:rtl] [unicode-bidi:normal]">
      <bdi dir="ltr">{repo}</bdi>
    </span>
  );
}
