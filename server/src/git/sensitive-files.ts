import type { Diff } from './diff.ts';
import { pace } from '../lib/pace.ts';

/** A file whose change can make a check pass without the task being done. */
export interface SensitiveFile {
  path: string;
  kind: 'test' | 'build';
  change: 'deleted' | 'altered';
}

const testDirectory =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|__snapshots__|specs?|testing|testdata|fixtures|e2e|cypress)\//i;
const testFile = [
  /(?:^|\/)[^/]*[._-](?:test|tests|spec|specs|e2e|cy|bench)\.[a-z0-9]+$/i,
  /(?:^|\/)test_[^/]*\.py$/i,
  /(?:^|\/)[^/]*_test\.(?:go|py|rb|exs|cc|cpp|c)$/i,
  /(?:^|\/)[A-Za-z0-9]*(?:Tests?|Spec|IT)\.(?:java|kt|scala|groovy|cs|swift|php)$/,
  /(?:^|\/)(?:test|tests|spec|conftest)\.[a-z0-9]+$/i,
  /\.snap$/,
];

const buildFile = [
  // Package files of npm, pnpm and yarn.
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|lerna\.json|turbo\.json|nx\.json)$/,
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.nvmrc|\.node-version|\.tool-versions)$/,
  /(?:^|\/)(?:GNUmakefile|[Mm]akefile|Justfile|justfile|Taskfile\.ya?ml|Rakefile|CMakeLists\.txt|meson\.build|configure(?:\.ac)?|build\.xml)$/,
  /\.(?:mk|cmake|bazel|bzl|gradle|gradle\.kts)$/,
  /(?:^|\/)(?:BUILD|WORKSPACE|pom\.xml|gradle\.properties|gradlew(?:\.bat)?|build\.sbt|build\.rs)$/,
  /(?:^|\/)(?:pyproject\.toml|setup\.py|setup\.cfg|tox\.ini|pytest\.ini|noxfile\.py|Pipfile(?:\.lock)?|poetry\.lock|uv\.lock|pdm\.lock|requirements[^/]*\.txt)$/,
  /(?:^|\/)(?:go\.mod|go\.sum|go\.work|Cargo\.toml|Cargo\.lock|rust-toolchain(?:\.toml)?|Gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|Package\.(?:swift|resolved)|deno\.jsonc?)$/,
  /(?:^|\/)[^/]+\.(?:csproj|fsproj|vbproj|sln|props|targets|gemspec)$/,
  // Configuration of test runners, compilers and linters.
  /(?:^|\/)(?:tsconfig[^/]*|jsconfig|babel\.config|\.babelrc|jest\.config|vitest\.(?:config|workspace)|vite\.config|webpack\.config|rollup\.config|esbuild\.config|karma\.conf|playwright\.config|cypress\.config|\.mocharc|\.nycrc|\.c8rc|codecov|\.coveragerc|eslint\.config|\.eslintrc|\.eslintignore|biome|\.oxlintrc|\.prettierrc|ruff|\.flake8|mypy|\.pre-commit-config)(?:\.[a-z0-9]+)*$/i,
  // Continuous integration and containers.
  /^(?:\.github\/(?:workflows|actions)|\.gitlab|\.circleci|\.buildkite|\.azure-pipelines|\.husky|\.ci)\//,
  /(?:^|\/)(?:\.gitlab-ci\.yml|\.travis\.yml|appveyor\.yml|azure-pipelines\.yml|bitbucket-pipelines\.yml|Jenkinsfile|\.drone\.yml|\.woodpecker\.yml)$/,
  /(?:^|\/)(?:Dockerfile[^/]*|[^/]+\.dockerfile|(?:docker-)?compose[^/]*\.ya?ml)$/i,
  /^(?:scripts?|tools|ci|build)\/[^/]*\.(?:sh|bash|ps1|py|rb|js|mjs|cjs|ts|mts)$/,
];

/**
 * Returns the test and build files that a change deleted or altered, tests first, otherwise in the order of the diff. New
 * files are not included.
 */
export async function sensitiveFiles(diff: Pick<Diff, 'files'>): Promise<SensitiveFile[]> {
  const found: Record<SensitiveFile['kind'], SensitiveFile[]> = { test: [], build: [] };
  for (const file of diff.files) {
    if (file.status === 'added') continue;
    await pace();
    // A rename removes the old file.
    const path = file.status === 'renamed' ? file.old_path : file.path;
    const kind = kindOf(path) ?? kindOf(file.path);
    if (kind !== undefined) found[kind].push({ path, kind, change: file.status === 'deleted' ? 'deleted' : 'altered' });
  }
  return [...found.test, ...found.build];
}

/** True for a path that test runners read. */
export function isTestFile(path: string): boolean {
  return testDirectory.test(path) || testFile.some((pattern) => pattern.test(path));
}

function kindOf(path: string): SensitiveFile['kind'] | undefined {
  if (isTestFile(path)) return 'test';
  return buildFile.some((pattern) => pattern.test(path)) ? 'build' : undefined;
}
