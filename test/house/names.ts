import { isSource, isTestFile, placeOf, stem } from './places.ts'

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const KEPT_NAMES = new Set([
  'README',
  'OFL',
  'LICENSE',
  'CHANGELOG',
  'CONTRIBUTING',
  'SECURITY',
  'Dockerfile',
])
const VAGUE_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'shared'])
const INDEXES = new Set(['src/ports/index.ts', 'db/tables/index.ts'])

/** Says what is wrong with a file's name or place; drizzle-kit names its migrations itself. */
export function misnamed(path: string, paths: ReadonlySet<string>): string[] {
  if (path.startsWith('db/migrations/')) return []
  if (path.endsWith('/')) return ['an empty folder']
  const names = path.split('/').filter((name) => !name.startsWith('.'))
  const stems = names.map(stem)
  const wrong: string[] = []
  if (!isModule(names) && names.some((name) => !name.split('.').every(isWellFormed))) {
    wrong.push('names are kebab-case')
  }
  if (stems.some((name) => VAGUE_NAMES.has(name))) wrong.push('a file is named after the noun it holds')
  if (stems.at(-1) === 'index' && isSource(path) && !INDEXES.has(path)) wrong.push('no barrels')
  if (isSource(path)) wrong.push(...misplaced(path, paths))
  return wrong
}

const isWellFormed = (word: string, index: number) =>
  KEBAB_CASE.test(word) || (index === 0 && KEPT_NAMES.has(word))

/** Python imports modules by the names of their files. */
const isModule = (names: readonly string[]) => /^(?:[a-z][a-z0-9_]*|__init__)\.py$/.test(names.at(-1) ?? '')

function misplaced(path: string, paths: ReadonlySet<string>): string[] {
  if (placeOf(path).kind === 'unknown') return ['has no place in the house']
  if (path.endsWith('.spec.ts')) return ['a test is named .test.ts']
  if (!isTestFile(path) || path.startsWith('test/')) return []
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const tested = folder + stem(path.slice(folder.length))
  const isBeside =
    paths.has(`${tested}.ts`) ||
    paths.has(`${tested}.tsx`) ||
    [...paths].some((other) => other.startsWith(`${tested}/`))
  return isBeside ? [] : [`a test lies beside what it tests (${tested}.ts) or under test/`]
}
