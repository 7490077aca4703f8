import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkHouse, type HouseFile, report } from './house.ts'
import { countWords, formatRatchet, outdated, parseRatchet, risen } from './house/ratchet.ts'
import { isSource } from './house/places.ts'
import { readSource } from './house/source-text.ts'

const ROOT = join(import.meta.dir, '..')
/** What tests and builds make inside of the folders, and git ignores. */
const GENERATED: ReadonlySet<string> = new Set(['src/console/api/openapi.d.ts', 'test/console/pictures'])
const FOLDERS = ['.ci', 'clients', 'deploy', 'src', 'workers', 'db', 'test', 'docs']

describe('this repository', () => {
  const files = readHouse()

  test('holds its walls, its words, its names and its pages', () => {
    expect(report(checkHouse(files))).toEqual([])
  })

  test('uses no banned word more often than before, and lowers the numbers of test/snapshots/plain-words.txt', () => {
    const path = join(ROOT, 'test/snapshots/plain-words.txt')
    const counts = countWords(files)
    const allowed = parseRatchet(readFileSync(path, 'utf8'))
    expect(risen(counts, allowed)).toEqual([])
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(path, formatRatchet(counts))
    else expect(outdated(counts, allowed), 'UPDATE_SNAPSHOTS=1 lowers the numbers').toEqual([])
  })

  test('is read whole: every import that Bun sees is seen here', () => {
    const sources = files.filter(({ path }) => isSource(path))
    expect(sources.length).toBeGreaterThan(20)
    for (const { path, text } of sources) {
      const seen = new Set(readSource(text).imports.map(({ specifier }) => specifier))
      const missed = scan(path, text).filter(({ path: specifier }) => !seen.has(specifier))
      expect({ path, missed }).toEqual({ path, missed: [] })
    }
  })
})

/** A wall's name, a file that breaks it, and a neighbour that does nearly the same and may. */
type Row = [rule: string, path: string, breaks: string, holds: string, neighbour?: string]

const ROUTES = 'src/monitoring/jobs/routes.ts'
const SERVICE = 'src/monitoring/jobs/service.ts'
const STORE = 'src/monitoring/jobs/store.ts'
const PROVING = 'src/access/session/service/verify-credentials.ts'
const PURE = 'src/monitoring/jobs/actor.ts'
const HEAD = 'src/monitoring/engine/head/job.ts'
const CONSOLE = 'src/console/shell/app.tsx'
const BUN = 'workers/bun/main.ts'

const IMPORTS: Row[] = [
  [
    'wall 10',
    CONSOLE,
    `import type { Job } from '../../domain/job.ts'`,
    `import { t } from '../language/t.ts'`,
  ],
  ['wall 10', CONSOLE, `await import('../../lib/time.ts')`, `await import('../screens/keys/screen.tsx')`],
  [
    'wall 10',
    SERVICE,
    `import { t } from '../../console/language/t.ts'`,
    `import { now } from '../../lib/time.ts'`,
  ],
  ['wall 10', BUN, `import { t } from '../../src/console/language/t.ts'`, `import './build-console.ts'`],
  // Wall 1, in every form an import can take.
  ['wall 1', PURE, `import { join } from 'node:path'`, `import * as z from 'zod'`],
  [
    'wall 1',
    PURE,
    `import { readFile } from 'node:fs/promises'`,
    `// import { readFile } from 'node:fs/promises'`,
  ],
  ['wall 1', PURE, `import { readFile } from 'fs/promises'`, `const text = "import a from 'fs/promises'"`],
  ['wall 1', PURE, `import type { Server } from 'bun'`, `import type { Server } from 'bunyan'`],
  [
    'wall 1',
    PURE,
    `import {\n  type Client,\n  createClient,\n} from "@libsql/client"`,
    `import { a } from 'libsqlish'`,
  ],
  ['wall 1', PURE, `await import('cloudflare:workers')`, `host.import('cloudflare:workers')`],
  [
    'wall 1',
    PURE,
    `export { test } from 'bun:test'`,
    `import { test } from 'bun:test'`,
    'src/monitoring/jobs/actor.test.ts',
  ],
  ['wall 1', PURE, `import 'node:process'`, `import './rules.ts'`],
  ['wall 1', PURE, `const fs = require('node:fs')`, `const fs = required('node:fs')`],
  ['wall 1', PURE, `type Fs = typeof import('node:fs')`, `type Rules = typeof import('./rules.ts')`],
  ['wall 1', PURE, `await import(name)`, `await import(name)`, BUN],
  ['wall 1', PURE, 'await import(`./${name}.ts`)', 'await import(`./rules.ts`)'],
  ['wall 1', PURE, `await import('./rules/' + name)`, `await import('./rules.ts')`],
  [
    'wall 1',
    PURE,
    `export const a = {}\nimport b from 'node:fs'`,
    `export const a = {}\nimport b from './b.ts'`,
  ],
  ['wall 1', STORE, `import { drizzle } from 'drizzle-orm/libsql'`, `import { eq } from 'drizzle-orm'`],
  [
    'wall 1',
    SERVICE,
    `import { serve } from '../../../workers/bun/main.ts'`,
    `import { now } from '../../lib/time.ts'`,
  ],
  [
    'wall 1',
    'db/tables/jobs.ts',
    `import { Database } from 'bun:sqlite'`,
    `import { sql } from 'drizzle-orm'`,
  ],
  [
    'only tests import tests',
    SERVICE,
    `import { clock } from '../../../test/doubles/clock.ts'`,
    `import { clock } from '../../../test/doubles/clock.ts'`,
    'src/monitoring/jobs/actor.test.ts',
  ],
  [
    'only tests import tests',
    BUN,
    `import { rows } from './writer.test.ts'`,
    `import { rows } from './writer.ts'`,
  ],

  [
    'wall 2',
    SERVICE,
    `import { jobs } from '../../../db/tables/jobs.ts'`,
    `import { jobs } from '../../../db/tables/jobs.ts'`,
    STORE,
  ],
  [
    'wall 2',
    SERVICE,
    `import type { SQL } from 'drizzle-orm'`,
    `import type { SQL } from 'drizzle-orm'`,
    'src/monitoring/jobs/store/rows.ts',
  ],
  ['wall 2', 'src/http/page.ts', `import { sql } from 'drizzle-orm'`, `import { Hono } from 'hono'`],
  [
    'wall 2',
    'src/ports/database.ts',
    `import { sql } from 'drizzle-orm'`,
    `import type { SQL } from 'drizzle-orm'`,
  ],
  [
    'wall 2',
    'src/ports/database.ts',
    `import { type SQL, sql } from 'drizzle-orm'`,
    `import { type SQL } from 'drizzle-orm'`,
  ],
  [
    'wall 2',
    'src/ports/clock.ts',
    `import type { SQL } from 'drizzle-orm'`,
    `import type { Temporal } from 'temporal-polyfill'`,
  ],
  ['wall 2', SERVICE, `import type { Context } from 'hono'`, `import type { Context } from 'hono'`, ROUTES],
  [
    'wall 2',
    SERVICE,
    `import { describeRoute } from 'hono-openapi'`,
    `import { describeRoute } from 'hono-openapi'`,
    'src/app.ts',
  ],
  [
    'wall 2',
    'src/lib/csv.ts',
    `import { zValidator } from '@hono/zod-validator'`,
    `import { zValidator } from '@hono/zod-validator'`,
    'src/http/valid.ts',
  ],

  ['wall 3', SERVICE, `import { rows } from '../tree/store.ts'`, `import { rows } from './store.ts'`],
  [
    'wall 3',
    SERVICE,
    `import type { Row } from '../tree/search/store.ts'`,
    `import type { Found } from '../tree/search/service.ts'`,
  ],
  [
    'wall 3',
    SERVICE,
    `import { rows } from '../tree/store/rows.ts'`,
    `import { path } from '../tree/path.ts'`,
  ],
  ['wall 3', ROUTES, `import { tree } from '../tree/routes.ts'`, `import { Group } from '../tree/schema.ts'`],
  [
    'wall 3',
    'src/app.ts',
    `import { rows } from './monitoring/tree/store.ts'`,
    `import { tree } from './monitoring/tree/routes.ts'`,
  ],
  [
    'wall 3',
    'src/state-pipeline.ts',
    `import { tree } from './monitoring/tree/routes.ts'`,
    `import { propagate } from './monitoring/tree/service.ts'`,
  ],
  ['wall 3', ROUTES, `import { rows } from './store.ts'`, `import { deliver } from './service.ts'`],
  ['wall 3', PURE, `import { rows } from './store.ts'`, `import type { Row } from './store.ts'`],
  ['wall 3', PURE, `import { readTree } from '../tree/service.ts'`, `import { path } from '../tree/path.ts'`],
  ['wall 3', STORE, `import { deliver } from './service.ts'`, `import { step } from './actor.ts'`],

  [
    'wall 3: wings',
    'src/operations/health/service.ts',
    `import { countDead } from '../../monitoring/notifications/service.ts'`,
    `import { countUsers } from '../../access/users/service.ts'`,
  ],
  [
    'wall 3: wings',
    'src/monitoring/notifications/service.ts',
    `import type { Run } from '../../automation/runs/schema.ts'`,
    `import type { Scripts } from '../../ports/scripts.ts'`,
  ],
  [
    'wall 3: wings',
    'src/data/sources/service.ts',
    `import { requireObject } from '../../monitoring/tree/service.ts'`,
    `import { requireObject } from '../../monitoring/tree/service.ts'`,
    'src/automation/runs/service.ts',
  ],
  [
    'wall 4',
    'src/lib/time.ts',
    `import type { Group } from '../monitoring/tree/schema.ts'`,
    `import { days } from './duration.ts'`,
  ],
  [
    'wall 4',
    'src/lib/time.ts',
    `import type { Clock } from '../ports/clock.ts'`,
    `import { Temporal } from 'temporal-polyfill'`,
  ],
  [
    'wall 4',
    'src/ports/job-actors.ts',
    `import type { Delivery } from '../monitoring/jobs/delivery.ts'`,
    `import type { Clock } from './clock.ts'`,
  ],
  [
    'wall 4',
    'src/ports/database.ts',
    `import { jobs } from '../../db/tables/jobs.ts'`,
    `import { Refusal } from '../lib/errors.ts'`,
  ],
  [
    'wall 4',
    'src/http/policy.ts',
    `import { callerOf } from '../access/session/service.ts'`,
    `import type { Caller } from '../context.ts'`,
  ],
  [
    'wall 4',
    'src/http/fast-path/fast-route.ts',
    `import type { Delivered } from '../../monitoring/jobs/schema.ts'`,
    `import type { Delivered } from '../../domain/delivery.ts'`,
  ],
  [
    'wall 4',
    'db/tables/jobs.ts',
    `import { minutes } from '../../src/lib/duration.ts'`,
    `import { devices } from './devices.ts'`,
  ],

  ['wall 5', BUN, `import { D1Blobs } from '../edge/blobs.ts'`, `import { Writer } from './writer.ts'`],
  [
    'wall 5',
    'workers/secrets.ts',
    `import { Writer } from './bun/writer.ts'`,
    `import { Log } from './json-log.ts'`,
  ],
  ['wall 5', BUN, `import { D1 } from '../edge/d1.ts'`, `import { secrets } from '../secrets.ts'`],
  ['wall 5', 'workers/edge/main.ts', `import('../bun/main.ts')`, `import('./job-object.ts')`],
  [
    'wall 5',
    BUN,
    `import { jobs } from '../../src/monitoring/jobs/routes.ts'`,
    `import { createApp } from '../../src/app.ts'`,
  ],
  [
    'wall 5',
    BUN,
    `import type { Row } from '../../src/monitoring/jobs/store.ts'`,
    `import { settle } from '../../src/monitoring/jobs/service.ts'`,
  ],
  [
    'wall 5',
    BUN,
    `import { Delivery } from '../../src/monitoring/jobs/schema.ts'`,
    `import { step } from '../../src/monitoring/jobs/actor.ts'`,
  ],
  [
    'wall 5',
    BUN,
    `import { policy } from '../../src/http/policy.ts'`,
    `import type { Clock } from '../../src/ports/clock.ts'`,
  ],
  ['wall 5', BUN, `export * from '../edge/main.ts'`, `import { jobs } from '../../db/tables/jobs.ts'`],
]

const WORDS: Row[] = [
  ['wall 6', PURE, `const now = Date.now()`, `const now = clock.now() // never Date.now()`],
  ['wall 6', PURE, `const now = new Date()`, `const now = new Date(at)`],
  ['wall 6', PURE, `const now = new Date`, `const text = 'new Date()'`],
  ['wall 6', PURE, 'const text = `at ${Date.now()}`', 'const text = `at Date.now()`'],
  ['wall 6', PURE, `Temporal.Now.instant()`, `Temporal.Now.instant()`, 'workers/bun/clock.ts'],
  ['wall 6', PURE, `performance.now()`, `performance.now()`, 'src/monitoring/jobs/actor.test.ts'],
  ['wall 6', 'test/doubles/clock.ts', `Math.random()`, `Math.random()`, 'workers/bun/clock.ts'],
  ['the log is a port', PURE, `console.log(state)`, `console.log(state)`, BUN],
  [
    'one batch',
    'workers/edge/d1.ts',
    `await db.transaction(async () => {})`,
    `storage.transactionSync(() => {})`,
  ],
  [
    'one batch',
    'test/contract/database.ts',
    `db\n  .transaction<number>(run)`,
    `db.batch(writes) // not .transaction(`,
  ],
  [
    'compared by `sameText`',
    PROVING,
    `if (login.loginCode !== (await hashOf(given))) refuse()`,
    `if (login.loginCode !== undefined && secret === '') refuse()`,
  ],
  [
    'compared by `sameText`',
    PROVING,
    `return given === row.passwordHash`,
    `return given === row.tokens.length`,
  ],
  ['compared by `sameText`', PROVING, `a === verifier`, `a === verifier`, PURE],
  [
    'a getter',
    HEAD,
    `get a() { this.#b ??= 1; return this.#b }`,
    `get a() { const b = this.#b === 1; return b }`,
  ],
  [
    'a getter',
    HEAD,
    `get a() { if (b) { this.flushToJobs() } return 1 }`,
    `flushed() { this.flushToJobs() }`,
  ],
  [
    'a getter',
    HEAD,
    `get a(): number {\n this.b++\n}`,
    `get a(): number {\n return this.b\n}\nadd() {\n this.b++\n}`,
  ],
  ['unfinished work', PURE, `// TODO: later`, `const todo = 'TODO'`],
  ['unfinished work', 'db/README.md', 'FIXME: the unit', 'The unit is a minute.'],
  [
    'its reason after --',
    PURE,
    `// oxlint-disable-next-line no-shadow`,
    `// oxlint-disable-next-line no-shadow -- the inner one wins`,
  ],
  ['zod is imported as', PURE, `import { z } from 'zod'`, `import * as z from 'zod'`],
  ['zod is imported as', PURE, `import z from 'zod'`, `import type { ZodType } from 'zod'`],
]

const NAMES: [rule: string, path: string, neighbour: string][] = [
  ['kebab-case', 'src/lib/timeZone.ts', 'src/lib/time-zone.ts'],
  ['kebab-case', 'src/monitoring/SLO/service.ts', 'src/monitoring/slo/service.ts'],
  ['the noun it holds', 'src/lib/utils.ts', 'src/lib/time.ts'],
  ['the noun it holds', 'workers/edge/helpers/time.ts', 'workers/edge/time/zone.ts'],
  ['no barrels', 'src/monitoring/jobs/index.ts', 'src/ports/index.ts'],
  ['no place in the house', 'src/monitoring/actor.ts', 'src/monitoring/jobs/actor.ts'],
  ['no place in the house', 'src/middleware/policy.ts', 'src/http/policy.ts'],
  ['an empty folder', 'src/content/files/', 'src/content/files/service.ts'],
  ['beside what it tests', 'src/lib/zones.test.ts', 'test/api/zones.test.ts'],
  ['named .test.ts', 'test/api/jobs.spec.ts', 'test/api/jobs.test.ts'],
]

describe('an injected violation is caught, its neighbour is not', () => {
  for (const [rule, path, breaks, holds, neighbour = path] of [...IMPORTS, ...WORDS]) {
    test(`${rule}: ${path} ${JSON.stringify(breaks)}`, () => {
      const companion = { path: 'src/monitoring/jobs/actor.ts', text: '' }
      expectOnly(rule, [{ path, text: breaks }, companion])
      expect(rulesBroken([{ path: neighbour, text: holds }, companion])).toEqual([])
    })
  }

  for (const [rule, path, neighbour] of NAMES) {
    test(`${rule}: ${path}`, () => {
      expectOnly(rule, [{ path, text: '' }])
      expect(rulesBroken([{ path: neighbour, text: '' }])).toEqual([])
    })
  }

  test('a test without its file beside it; with it', () => {
    const lonely = { path: 'src/lib/time.test.ts', text: '' }
    expect(rulesBroken([lonely])).toHaveLength(1)
    expect(rulesBroken([lonely, { path: 'src/lib/time.ts', text: '' }])).toEqual([])
  })

  test('a circle of rooms is named whole, also when only types draw it; a chain is none', () => {
    const chain = [
      { path: 'src/monitoring/tree/service.ts', text: `import { step } from '../jobs/actor.ts'` },
      {
        path: 'src/monitoring/jobs/actor.ts',
        text: `import type { Alarm } from '../alarms/alarm.ts'`,
      },
    ]
    expect(rulesBroken(chain)).toEqual([])
    const closing = {
      path: 'src/monitoring/alarms/alarm.ts',
      text: `import type { Path } from '../tree/path.ts'`,
    }
    const [circle, ...others] = checkHouse([...chain, closing])
    expect(others).toEqual([])
    expect(circle?.rule).toBe('wall 3: rooms form no circle')
    expect(circle?.detail).toStartWith(
      'monitoring/alarms → monitoring/tree → monitoring/jobs → monitoring/alarms',
    )
  })

  test('a circle of files is named whole, also when only types draw it; a chain and tests are none', () => {
    const chain = [
      { path: 'src/lib/time.ts', text: `import type { Days } from './duration.ts'` },
      { path: 'src/lib/duration.ts', text: `import { round } from './numbers.ts'` },
      { path: 'src/lib/numbers.ts', text: '' },
      { path: 'src/lib/numbers.test.ts', text: `import { days } from './time.ts'` },
    ]
    expect(rulesBroken(chain)).toEqual([])
    const closing = { path: 'src/lib/numbers.ts', text: `import type { Time } from './time.ts'` }
    const [circle, ...others] = checkHouse(chain.with(2, closing))
    expect(others).toEqual([])
    expect(circle?.rule).toBe('wall 4: files form no circle')
    expect(circle?.detail).toStartWith(
      'src/lib/duration.ts → src/lib/numbers.ts → src/lib/time.ts → src/lib/duration.ts',
    )
  })

  test('the environment of the Worker may name the types of objects that read it, and nothing else', () => {
    const object = {
      path: 'workers/edge/job-object.ts',
      text: `import { readEnvironment } from './environment.ts'`,
    }
    const named = (text: string) => [object, { path: 'workers/edge/environment.ts', text }]
    expect(rulesBroken(named(`import type { JobObject } from './job-object.ts'`))).toEqual([])
    expectOnly('wall 4: files form no circle', named(`import { JobObject } from './job-object.ts'`))
  })

  test('a page that cites a path that is gone; one that cites what is there', () => {
    const app = { path: 'src/app.ts', text: '' }
    const page = (path: string, text: string) => rulesBroken([app, { path, text }])
    for (const gone of [
      'see `src/gone.ts`',
      '[it](src/gone.ts)',
      'see `gone.ts`',
      '```text\nsrc/\n  gone.ts  it\n```',
    ]) {
      expect(page('README.md', gone)).toEqual(['a cited path exists'])
    }
    const kept = 'see `src/app.ts`, [it](./src/app.ts), `app.ts`, `db/<room>.ts`, `/jobs/{id}`, `text/csv`'
    expect(page('README.md', `${kept}\n\`\`\`text\nsrc/\n  app.ts  it\n\`\`\``)).toEqual([])
    expect(page('src/README.md', 'see `app.ts` and `src/`')).toEqual([])
    expect(page('docs/guides/a.md', '[it](../../src/app.ts)')).toEqual([])
    expect(page('docs/guides/a.md', '[it](../src/app.ts)')).toEqual(['a cited path exists'])
  })

  test('a link to a heading that its page does not have', () => {
    const target = { path: 'docs/limits.md', text: '# Limits\n\n## Of `data`\n\n## Of data\n' }
    const page = (text: string) =>
      rulesBroken([target, { path: 'docs/guides/a.md', text: `# A page\n\n${text}` }])
    for (const gone of ['../limits.md#of-alarms', '../limits.md#of-data-2', '#limits']) {
      expect(page(`[it](${gone})`)).toEqual(['a cited heading exists'])
    }
    for (const kept of ['../limits.md#of-data', '../limits.md#of-data-1', '#a-page', 'https://a.test/b#c']) {
      expect(page(`[it](${kept})`)).toEqual([])
    }
  })

  test('a room without a row in the table of rooms, and a row without a room', () => {
    const tree = { path: 'src/monitoring/tree/service.ts', text: '' }
    const table = (row: string) => ({ path: 'src/README.md', text: `| Room | Holds |\n|---|---|\n${row}` })
    expect(rulesBroken([tree, table('| `monitoring/tree` | objects |')])).toEqual([])
    expect(rulesBroken([tree, table('')])).toEqual(['a room has a row in src/README.md'])
    expect(
      rulesBroken([tree, table('| `monitoring/tree` | objects |\n| `monitoring/gone` | none |')]),
    ).toEqual(['a row of src/README.md names a room'])
  })
})

describe('the ratchet of banned words', () => {
  const page = (text: string) => countWords([{ path: 'docs/a.md', text }])
  const two = page('Whoever reads, and whoever writes; nobody\ncares about a keeper.')
  const of = (counts: typeof two, name: string) => counts.get(name)?.count

  test('counts words by their case, over lines of a comment, and in texts of the service alone', () => {
    expect([of(two, 'Whoever …'), of(two, 'whoever'), of(two, 'nobody'), of(two, 'keeper')]).toEqual([
      1, 1, 1, 1,
    ])
    expect(of(page('/** It is\n * none. */'), 'is none')).toBe(1)
    expect([of(page('This is no link.'), 'is no'), of(page('There is no link.'), 'is no')]).toEqual([1, 0])
    expect(of(countWords([{ path: 'test/a.ts', text: 'nobody' }]), 'nobody')).toBe(0)
  })

  test('fails for a number that rose, and for one that fell or is new', () => {
    const allowed = parseRatchet(formatRatchet(two))
    expect([risen(two, allowed), outdated(two, allowed)]).toEqual([[], []])
    expect(risen(page('nobody, nobody'), allowed).join()).toStartWith(
      '"nobody" stands 2 times, 1 are allowed',
    )
    expect(outdated(page('Whoever, whoever, keeper'), allowed)).toEqual(['"nobody": 1 → 0'])
    expect(outdated(two, new Map([...allowed].filter(([name]) => name !== 'nobody')))).toEqual([
      '"nobody": new → 1',
    ])
  })
})

describe('a text is taken apart without being misled by', () => {
  const CASES: [what: string, text: string, specifiers: string[]][] = [
    ['a quote in a regular expression', `const a = /'/\nimport 'a'\nconst b = /[/']/`, ['a']],
    ['a division', `const a = b / c\nimport 'a'\nconst d = e / f`, ['a']],
    ['an apostrophe in a comment', `// don't\nimport 'a'\n/* can't */`, ['a']],
    ['a comment opener in a string', `const a = '/*'\nimport 'a'\nconst b = '*/'`, ['a']],
    ['a template in a template', 'const a = `${b ? `${c}` : "`"} import "x"`\nimport "a"', ['a']],
    ['an object in a template', 'const a = `${f({ b: "}" })} import "x"`\nimport "a"', ['a']],
    ['an escaped quote', `const a = 'it\\'s'\nimport 'a'`, ['a']],
    ['comments inside an import', `import { a /* from 'x' */ } from // y\n  'a'`, ['a']],
  ]
  for (const [what, text, specifiers] of CASES) {
    test(what, () => expect(readSource(text).imports.map(({ specifier }) => specifier)).toEqual(specifiers))
  }
})

const PLAIN = new Bun.Transpiler({ loader: 'ts' })
const MARKUP = new Bun.Transpiler({ loader: 'tsx' })

/** The imports of a file without the call that Bun puts in for markup. */
function scan(path: string, text: string) {
  const imports = (path.endsWith('x') ? MARKUP : PLAIN).scanImports(text)
  return imports.filter(({ path: specifier }) => !/^react(?:\/|$)/.test(specifier))
}

function expectOnly(rule: string, files: readonly HouseFile[]) {
  const [broken, ...others] = rulesBroken(files)
  expect(broken).toContain(rule)
  expect(others).toEqual([])
}

const rulesBroken = (files: readonly HouseFile[]) => checkHouse(files).map(({ rule }) => rule)

/** Every file of the root and of the house's folders; an empty folder is a path that ends in a slash. */
function readHouse(): HouseFile[] {
  const top = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isFile())
  return [...top.map(({ name }) => name), ...FOLDERS.flatMap((folder) => walk(folder))].map((path) => ({
    path,
    text: hasText(path) ? readFileSync(join(ROOT, path), 'utf8') : '',
  }))
}

/** A link may lead to a file that is not generated yet. */
function hasText(path: string): boolean {
  return /\.(?:tsx?|md|sh|toml|txt|scenario)$/.test(path) && existsSync(join(ROOT, path))
}

function walk(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
  if (entries.length === 0) return [`${folder}/`]
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (GENERATED.has(path)) return []
    return entry.isDirectory() ? walk(path) : [path]
  })
}
