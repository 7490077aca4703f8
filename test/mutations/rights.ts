import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Takes away, one after the other, every policy of a route and every place where somebody's rights are looked at, and
 * asks whether calling all routes as everybody tells. `npm run mutate:rights`; `-- -t dependencies` tries those alone whose
 * name has that in it.
 */

const ROOT = join(import.meta.dir, '../..')
const COPIED = ['src', 'workers', 'db', 'test', 'package.json', 'tsconfig.json', 'bunfig.toml']

/** Rights of an administrator, and a caller who is one. */
const ADMINISTRATOR = `{ userId: 0, role: 'administrator' as const, granted: new Map(), ways: [] }`
const CALLER = `{ kind: 'user' as const, userId: 0, username: '', role: 'administrator' as const, sessionHash: null }`

/** The text in the service, and the text of the mutant. */
const SITES: readonly (readonly [
  pattern: RegExp,
  instead: (on: string, match: RegExpMatchArray) => string,
])[] = [
  [
    /\b(requireObject|requireStart)\((context|\{ ports, \.\.\.context \})/g,
    (on, [, verb, context]) => `${verb}(${on} ? { ...(${context}), caller: ${CALLER} } : ${context}`,
  ],
  [/\bawait rightsOf\(context\)/g, (on, [text]) => `(${on} ? ${ADMINISTRATOR} : ${text})`],
  [
    // Not where this chooses between two ways to the same answer.
    /(\b(?:readableBy|visibleBy|permissionsOf|readableTops)|\? readable : visible\))\(rights\b(?!\)\s+if \(tops === null\) return 'status')/g,
    (on, [, condition]) => `${condition}(${on} ? ${ADMINISTRATOR} : rights`,
  ],
  [/\bundeliverable\(/g, (on) => `(${on} ? async () => new Map<number, never>() : undeliverable)(`],
]

/** The function that `try.ts` gives to every site. */
const SWITCHES = '{ isMutant(site: number): boolean }'

/** The rights themselves and who is told of alarms, which have tests of their own, and the service's own first job:
 * for the latter two nobody asks. */
const LEFT_OUT =
  /^src\/access\/rights\/|^src\/monitoring\/notifications\/outbox\/service\/forming\.ts$|first-job\.ts$|\.test\.ts$/

const folder = await mkdtemp(join(tmpdir(), 'tidemark-mutations-'))
try {
  for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const names = await instrument()
  const run = Bun.spawn(
    ['bun', 'test', '--timeout', '300000', './test/mutations/try.ts', ...process.argv.slice(2)],
    {
      cwd: folder,
      env: { ...process.env, TIDEMARK_MUTANTS: JSON.stringify(names) },
      stdout: 'inherit',
      stderr: 'inherit',
    },
  )
  process.exitCode = await run.exited
} finally {
  await rm(folder, { recursive: true })
}

/** Gives every site of the copy a switch. @returns where each is, in the order of their numbers */
async function instrument(): Promise<readonly string[]> {
  const names: string[] = []
  for await (const path of new Bun.Glob('src/**/*.ts').scan(folder)) {
    if (LEFT_OUT.test(path)) continue
    const before = await Bun.file(join(folder, path)).text()
    let after = before
    for (const [pattern, instead] of SITES) {
      const text = after
      const matches = [...text.matchAll(pattern)].filter(
        ({ index }) => !text.slice(0, index).endsWith('function '),
      )
      // From the end, so that the places of those before stay.
      for (const match of matches.toReversed()) {
        const on = `(globalThis as unknown as ${SWITCHES}).isMutant(${names.length})`
        names.push(`${path}: ${match[0]}`)
        after = after.slice(0, match.index) + instead(on, match) + after.slice(match.index + match[0].length)
      }
    }
    if (after !== before) await Bun.write(join(folder, path), after)
  }
  return names
}
