import { directoriesOf, directoryOf, nameOf, within } from './path.ts'

export const RUNNER_KINDS = ['python', 'shell', 'talend'] as const
export const DEPENDENCY_MANAGERS = ['poetry', 'pip', 'none'] as const
export const WARNINGS = ['runner.none', 'runner.ambiguous', 'talend.no_launcher'] as const

export type RunnerKind = (typeof RUNNER_KINDS)[number]

/** The program that runs a script, derived from the paths in its tree. */
export type Detection = {
  /** Null where nothing says what runs it. */
  readonly runner: RunnerKind | null
  /** The path of the file that is started; null where no engine runs it. */
  readonly runnerFile: string | null
  readonly dependencyManager: (typeof DEPENDENCY_MANAGERS)[number]
  /** Where its dependencies are listed; null where nothing lists any. */
  readonly dependencyFile: string | null
  readonly warnings: readonly (typeof WARNINGS)[number][]
}

type Hit = { readonly runner: RunnerKind; readonly directory: string; readonly file: string }

/** Which runner comes first of those that are as near to the root. */
const PRECEDENCE: readonly RunnerKind[] = ['python', 'talend', 'shell']

/** The program that runs a tree with these files (specification: Scripts). Breadth first: the file nearest to the root wins, and
 * at one depth Python before Talend before the shell, then the first by name. More than one hit is a warning. */
export function detect(files: readonly string[]): Detection {
  const talend = talendHits(files)
  const hits = [
    ...named(files, 'main.py', 'python'),
    ...named(files, 'run.sh', 'shell'),
    ...talend.hits,
  ].sort(byPlace)
  const [first, second] = hits
  const warnings = [
    ...(first ? [] : (['runner.none'] as const)),
    ...(second ? (['runner.ambiguous'] as const) : []),
    ...(talend.isWithoutLauncher ? (['talend.no_launcher'] as const) : []),
  ]
  return {
    runner: first?.runner ?? null,
    runnerFile: first?.file ?? null,
    ...dependenciesOf(files, first),
    warnings,
  }
}

function named(files: readonly string[], name: string, runner: RunnerKind): Hit[] {
  return files
    .filter((file) => nameOf(file) === name)
    .map((file) => ({ runner, directory: directoryOf(file), file }))
}

/** Exported Talend jobs: `jobInfo.properties` or `lib/*.jar`, and beside it, or in a directory beside it, the launcher. */
function talendHits(files: readonly string[]): { readonly hits: Hit[]; readonly isWithoutLauncher: boolean } {
  const launchers = files.filter((file) => file.endsWith('_run.sh'))
  const launchersIn = Map.groupBy(launchers, directoryOf)
  const launchersBelow = Map.groupBy(
    launchers.filter((file) => file.includes('/')),
    (file) => directoryOf(directoryOf(file)),
  )
  const infos = files.filter((file) => nameOf(file) === 'jobInfo.properties').map(directoryOf)
  const libraries = files
    .filter((file) => file.endsWith('.jar') && nameOf(directoryOf(file)) === 'lib')
    .map((file) => directoryOf(directoryOf(file)))
  const launchersOf = (directory: string) => launchersIn.get(directory) ?? launchersBelow.get(directory) ?? []
  const hits = [...new Set([...infos, ...libraries])].flatMap((directory) =>
    launchersOf(directory).map((file) => ({ runner: 'talend' as const, directory, file })),
  )
  return { hits, isWithoutLauncher: infos.some((directory) => launchersOf(directory).length === 0) }
}

function byPlace(a: Hit, b: Hit): number {
  return (
    depthOf(a) - depthOf(b) ||
    PRECEDENCE.indexOf(a.runner) - PRECEDENCE.indexOf(b.runner) ||
    (a.file < b.file ? -1 : 1)
  )
}

function depthOf({ directory }: Hit): number {
  return directory === '' ? 0 : directory.split('/').length
}

/** The nearest `pyproject.toml` from the started file up to the root, else the nearest `requirements.txt`. */
function dependenciesOf(
  files: readonly string[],
  hit: Hit | undefined,
): Pick<Detection, 'dependencyManager' | 'dependencyFile'> {
  if (hit?.runner === 'python') {
    const there = new Set(files)
    const nearest = ['', ...directoriesOf(hit.file)].reverse()
    const find = (name: string) =>
      nearest.map((directory) => within(directory, name)).find((file) => there.has(file))
    const project = find('pyproject.toml')
    if (project !== undefined) return { dependencyManager: 'poetry', dependencyFile: project }
    const requirements = find('requirements.txt')
    if (requirements !== undefined) return { dependencyManager: 'pip', dependencyFile: requirements }
  }
  return { dependencyManager: 'none', dependencyFile: null }
}

/** The names of main files, by their extension. */
const STARTED: readonly (readonly [extension: string, name: string])[] = [
  ['.py', 'main.py'],
  ['.sh', 'run.sh'],
]
const FOUND_SHOWN = 5

/** The message about a tree without a main file: its files, and the name that a main file would have. */
export function nothingRuns(files: readonly string[]): string {
  const nothing = 'The script has no entry point.'
  if (files.length === 0) return `${nothing} Add main.py (Python) or run.sh (shell).`
  const sorted = files.toSorted()
  const renamed = STARTED.flatMap(([extension, name]) => {
    const [only, ...others] = sorted.filter((file) => file.endsWith(extension))
    return only !== undefined && others.length === 0 ? `Rename ${only} to ${name}` : []
  })
  const found = sorted.slice(0, FOUND_SHOWN).join(', ') + (sorted.length > FOUND_SHOWN ? ', …' : '')
  const remedy = renamed[0] ?? 'Name the entry point main.py (Python) or run.sh (shell)'
  return `${nothing} ${remedy} (found: ${found}).`
}
