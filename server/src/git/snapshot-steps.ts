import { emptyTree } from './names.ts';

/** The steps of a snapshot in bash, behind the variables and functions of `snapshotScript`. */
export const snapshotSteps = `cd "$ws"
if [ ! -d "\${dir%/*}" ]; then mkdir -p "\${dir%/*}"; fi
exec 9>"$dir.flock"
if command -v flock >/dev/null; then flock -w 120 9; fi
list="$dir.changed"
# Input is a file, and a substitution becomes the program: a pipe, and a function in it, are processes of their own.
input="$dir.input"
private_exec() { exec git "\${private[@]}" "$@"; }
read_changes() {
  private_git ls-files -z -o -m --exclude-standard > "$list"
  mapfile -d '' -t changes < "$list"
  nested=()
  for name in "\${changes[@]}"; do if [[ $name == */ ]]; then nested+=("$name"); fi; done
}
# A name that ends in / is a repository of its own, which git would record as a link to a commit nobody has. One entry
# below it in the index makes git see a plain directory; the entry names no file, so the next add removes it.
open_nested() {
  for round in 1 2 3 4 5 6 7 8; do
    if [ "\${#nested[@]}" -eq 0 ]; then return 0; fi
    for name in "\${nested[@]}"; do
      printf '100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\\t%s.guildhall-nested\\0' "$name"
    done | private_git update-index -z --add --replace --index-info
    read_changes
  done
}
find_large() {
  for ((at = 0; at < \${#changes[@]}; at += 500)); do
    some=("\${changes[@]:at:500}")
    find "\${some[@]/#/./}" -maxdepth 0 -type f -size +"$max"c -print0 2>/dev/null || true
  done > "$list"
  mapfile -d '' -t left < "$list"
}
# To add a few files by name spares a second look at all files. Whatever git has to say about one, or that is not a plain
# addition, is left to add_all. That also renews what the index knows of files that were only touched, so it runs now and then.
add_few() {
  [ "\${#changes[@]}" -le 1000 ] && [ "\${#nested[@]}" -eq 0 ] && [ "\${#left[@]}" -eq 0 ] && ((RANDOM % 16)) || return 1
  printf '%s\\0' "\${changes[@]}" > "$input" || return 1
  private_git update-index -z --add --remove --replace --stdin < "$input" > "$list" 2>&1 || return 1
  [ ! -s "$list" ]
}
add_all() {
  { printf '.\\0'; for name in "\${left[@]}"; do printf ':(top,exclude,literal)%s\\0' "\${name#./}"; done; } > "$list" || return 1
  private_git add -A --ignore-errors --pathspec-from-file="$list" --pathspec-file-nul >&2
}
# Only what the agent's own repository merged counts: otherwise the commit would undo the other branch.
merged() {
  [ -n "$merge" ] && private_git cat-file -e "$merge^{commit}" 2>/dev/null || return 1
  [ "$(cat .git/MERGE_HEAD 2>/dev/null || true)" = "$merge" ] && return 0
  git -c core.fsmonitor=false -c core.hooksPath=/dev/null merge-base --is-ancestor "$merge" HEAD 2>/dev/null
}
# As git bundle does (gitformat-bundle(5)), with one process less and no ref: of $sum, without the commits given.
write_bundle() {
  if [ -e "$bundle" ] || [ -L "$bundle" ]; then rm -rf "$bundle"; fi
  { printf '%s\\n' "$sum"; if [ "$#" -gt 0 ]; then printf '^%s\\n' "$@"; fi; } > "$input"
  {
    printf '# v2 git bundle\\n'
    if [ "$#" -gt 0 ]; then printf -- '-%s\\n' "$@"; fi
    printf '%s refs/guildhall/sum\\n\\n' "$sum"
    private_git pack-objects -q --revs --thin --stdout --delta-base-offset < "$input"
  } > "$bundle"
}
take() {
  open_private
  read_changes
  left=()
  if [ "\${#changes[@]}" -gt 0 ]; then
    open_nested
    find_large
    if ! add_few && ! add_all; then
      # Unreadable, or of a name git refuses (.GIT, git~1): everything else was taken.
      read_changes
      left=("\${changes[@]}")
    fi
  fi
  tree=$(private_exec write-tree)
  parent_tree=
  # The mirror has the base; only its tree may have to be read.
  if [ -n "$base_tree" ] && [ "$parent" = "$base" ]; then
    parent_tree=$base_tree
  elif [ -n "$parent" ] && { [ -z "$last" ] || [ "$parent" != "$base" ]; }; then
    if ! parent_tree=$(private_exec rev-parse -q --verify "$parent^{tree}"); then
      parent=$base
      if [ -n "$parent" ]; then parent_tree=$(private_exec rev-parse --verify "$parent^{tree}"); fi
    fi
  fi
  before=\${last:-\${parent_tree:-${emptyTree}}}
  commit=$parent changed=0 followed=0
  if [ "$tree" != "$before" ]; then
    changed=1
    if merged; then followed=1; else merge=; fi
    printf '%s' "$message" > "$input"
    commit=$(private_exec commit-tree \${parent:+-p "$parent"} \${merge:+-p "$merge"} "$tree" < "$input")
    # Snapshots are siblings: only a commit that follows both lets git leave out what the last one holds.
    printf 'checkpoint' > "$input"
    if [ -z "$sent" ] || ! sum=$(private_exec commit-tree -p "$sent" -p "$commit" "$tree" < "$input" 2>/dev/null); then
      sent= sum=$commit
    fi
    write_bundle \${base:+"$base"} \${merge:+"$merge"} \${sent:+"$sent"}
  fi
  skipped=
  if [ "\${#left[@]}" -gt 0 ]; then skipped=$(printf '%s\\0' "\${left[@]#./}" | base64 | tr -d '\\n'); fi
  printf 'commit %s\\ntree %s\\nchanged %s\\nmerged %s\\nskipped %s\\n' "$commit" "$tree" "$changed" "$followed" "$skipped"
}
attempt() {
  ( set -e; take )
  status=$?
  # It would keep what may be the last free space of the disk.
  if [ "$status" -ne 0 ]; then rm -rf "$bundle"; fi
}
set +e
attempt
if [ "$status" -ne 0 ]; then
  rm -rf "$dir"
  attempt
fi
exit "$status"
`;
