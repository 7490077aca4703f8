import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { COLUMN_TYPES } from '../../src/domain/table.ts'
import { nothingRuns } from '../../src/automation/scripts/detection.ts'
import { codesOf } from '../../src/http/problem.ts'

const SERVICE = join(import.meta.dir, '../../src')
const CONSOLE = join(SERVICE, 'console')
/** A value in a pattern. The choices of a plural, which follow `plural,` or another choice, are braces without a value. */
const VALUE = /(?<!(?:plural,|\}) (?:zero|one|two|few|many|other|=\d+) )\{(\w+)(?:\}|,)/g

/** A sentence in the source of imports, in quotes, that is the message of a fault or of a refusal. */
const IMPORT_FAULT =
  /(?:unreadable\(\s*|'import_failed', |message = |message: |CSV\w*: |INVALID\w*: )(['`])([A-Z](?:(?!\1).)+)\1/g

const RUNS = join(SERVICE, 'automation/runs/service')
const RUNNER = '../workers/runner'

/** The sentences in the source, in quotes, that a run or a forecast stores when it fails, their least number, and their files. */
const RUN_REASONS: readonly (readonly [pattern: RegExp, least: number, ...paths: string[]])[] = [
  [
    /(?:return |SKIPPED = |: )(['`])([A-Z](?:(?!\1).)+(?:\.|why\}))\1/g,
    4,
    'automation/runs/service/holders.ts',
    'automation/runs/service/order-run.ts',
    'automation/runs/service/transition-run.ts',
  ],
  [
    /loseRun\([^;]*?'(the runner [^']+)'/g,
    4,
    'automation/runs/runners/service.ts',
    'automation/runs/service/dispatch.ts',
  ],
  [/'(?:not_found|conflict)',\s*`(The data source [^`]+)`/g, 3, 'data/sources/service.ts'],
  [
    /'(?:query_failed|name_taken)',\s*(['`])([A-Z](?:(?!\1).)+\.)\1/g,
    3,
    'analytics/forecasts/service/settle.ts',
  ],
  [
    /(?:'import_failed',\s+|'query_too_large',\s+|\? |: )`(The (?:run|file) [^`]+)`/g,
    6,
    'data/refreshes/service/from-script.ts',
  ],
  [
    /(?:Unprepared\(\s*|RangeError\(|Error\(|return |error: |\?\? )(['`])([A-Z](?:(?!\1).)+(?:\.|\(\)\}))\1/g,
    13,
    `${RUNNER}/run.ts`,
    `${RUNNER}/job.ts`,
    `${RUNNER}/filesystem.ts`,
    `${RUNNER}/engines/python.ts`,
    `${RUNNER}/engines/forecast.ts`,
    `${RUNNER}/sandbox/process.ts`,
  ],
]

const LANGUAGES = ['en', 'de', 'fr']

type Texts = Readonly<Record<string, string>>

const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter(
  (path) => !path.includes('openapi.d'),
)
const folders = [
  ...new Set(files.filter((path) => path.endsWith('/en.json')).map((path) => path.slice(0, -8))),
]
const read = (path: string) => readFileSync(join(CONSOLE, path), 'utf8')
const textsOf = (folder: string, language: string) => JSON.parse(read(`${folder}/${language}.json`)) as Texts
const valuesOf = (text: string) => new Set([...text.matchAll(VALUE)].map(([, name]) => name))

test.each(folders)('%s has each text in each language, with the same values', (folder) => {
  const english = textsOf(folder, 'en')
  for (const language of ['de', 'fr']) {
    const other = textsOf(folder, language)
    expect(Object.keys(other).sort()).toEqual(Object.keys(english).sort())
    for (const [key, text] of Object.entries(english)) {
      expect([key, valuesOf(other[key] ?? '')]).toEqual([key, valuesOf(text)])
      expect([key, other[key]]).not.toEqual([key, ''])
    }
  }
})

test('a job is une tâche in French', () => {
  const texts = folders.flatMap((folder) => Object.entries(textsOf(folder, 'fr')))
  const isWrong = (text: string) => /(?<![.{])\bjobs?\b(?!\})/i.test(text)
  expect(texts.filter(([, text]) => isWrong(text))).toEqual([])
})

test('in French a state beside nouns of both genders has no gender, and the state of a run is feminine', () => {
  const texts = Object.fromEntries(folders.flatMap((folder) => Object.entries(textsOf(folder, 'fr'))))
  const ofBoth = ['state.stopped', 'reason.stopped', 'job.sayStopped', 'settings.on', 'settings.off']
  const operators = ['objects.operator.started', 'objects.operator.stopped']
  expect([...ofBoth, ...operators].filter((key) => /é(?:\s|$)/.test(texts[key] ?? 'é'))).toEqual([])
  // Une exécution.
  const ofRuns = ['assigned', 'succeeded', 'failed', 'cancelled', 'lost'].map(
    (state) => `scripts.state.${state}`,
  )
  expect(ofRuns.filter((key) => !texts[key]?.endsWith('e'))).toEqual([])
})

test.each(LANGUAGES)('a percentage in a text of %s has the space of its language', (language) => {
  const space = /\d(\D*)%/.exec(new Intl.NumberFormat(language, { style: 'percent' }).format(1))?.[1]
  const texts = folders.flatMap((folder) => Object.entries(textsOf(folder, language)))
  const spaces = texts.flatMap(([key, text]) =>
    [...text.matchAll(/[\d}](\s*)%/g)].map(([, its]) => [key, its]),
  )
  expect(spaces.length).toBeGreaterThan(0)
  expect(spaces.filter(([, its]) => its !== space)).toEqual([])
})

test('each key in the source has a text, and each text a key or the begin of one in the source', () => {
  const source = files
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .map(read)
    .join('\n')
  const texts = new Set(folders.flatMap((folder) => Object.keys(textsOf(folder, 'en'))))
  const literal = [...source.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key ?? '')
  expect(literal.filter((key) => !texts.has(key))).toEqual([])
  const begins = [...source.matchAll(/`([\w-]+(?:\.[\w-]+)*\.)\$\{/g)].map(([, begin]) => begin ?? '')
  const isUsed = (key: string) => source.includes(`'${key}'`) || begins.some((begin) => key.startsWith(begin))
  expect([...texts].filter((key) => !isUsed(key))).toEqual([])
})

test('each refusal of the API, and each fault that all schemas share, has a text in German and French', () => {
  const codes = [...codesOf().values()].flat()
  const shared = readFileSync(join(CONSOLE, '../http/fault-texts.ts'), 'utf8')
  const phrases = [...shared.matchAll(/^ {2}\w+: '([^']+)',$/gm)].map(
    ([, phrase]) => `must be ${phrase ?? ''}`,
  )
  const sentences = [...shared.matchAll(/=> '([^']+)'/g)].map(([, sentence]) => sentence ?? '')
  expect(phrases.length).toBeGreaterThan(18)
  expect(sentences.length).toBeGreaterThan(3)
  for (const language of ['de', 'fr']) {
    const texts = textsOf('language/problems', language)
    const keysBelow = (prefix: string) =>
      Object.keys(texts).flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : []))
    expect(keysBelow('problem.').sort()).toEqual([...codes, 'unreachable'].sort())
    expect([...phrases, ...sentences, 'is missing'].filter((text) => !(`fault.${text}` in texts))).toEqual([])
    expect(keysBelow('fault.')).toEqual(
      Object.keys(textsOf('language/problems', 'de')).flatMap((key) =>
        key.startsWith('fault.') ? key.slice('fault.'.length) : [],
      ),
    )
    for (const [key, text] of Object.entries(texts))
      expect([key, valuesOf(text)]).toEqual([key, valuesOf(key)])
  }
})

test('each fault of an import has a text in German and French', () => {
  const folder = join(SERVICE, 'data/imports')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
  const found = sources.flatMap((text) =>
    [...text.matchAll(IMPORT_FAULT)].map(([, , sentence]) => sentence?.replace('${advice}', '') ?? ''),
  )
  expect(found.length).toBeGreaterThan(50)
  const ofTypes = COLUMN_TYPES.map((type) => `The value is not of the type ${type}.`)
  expectFaultsKnown([...found.filter((sentence) => !sentence.includes(' ${type}.')), ...ofTypes])
})

test('each reason for which a run fails has a text in German and French', () => {
  const found = RUN_REASONS.flatMap(([pattern, least, ...paths]) => {
    const sources = paths.map((path) => readFileSync(join(SERVICE, path), 'utf8'))
    const sentences = sources.flatMap((text) =>
      [...text.matchAll(pattern)].map((match) => match.at(-1) ?? ''),
    )
    expect(sentences.length).toBeGreaterThanOrEqual(least)
    return sentences
  })
  const ofTrees = [[], ['a.py'], ['a.py', 'b.py']].map(nothingRuns)
  const ofStates = found.flatMap((sentence) =>
    ['failed', 'timed_out', 'cancelled', 'lost'].map((state) => sentence.replace('${state}', state)),
  )
  expectFaultsKnown([...ofStates, ...ofTrees])
  const people = readFileSync(join(RUNS, 'holders.ts'), 'utf8').matchAll(/did: '([^']+)'/g)
  expectFaultsKnown([...people].map(([, did]) => `The user who ${did ?? ''}`))
})

function expectFaultsKnown(faults: readonly string[]): void {
  expect(faults).not.toEqual([])
  for (const language of ['de', 'fr']) {
    const known = Object.keys(textsOf('language/problems', language)).map(
      (key) =>
        new RegExp(
          `^${key
            .slice('fault.'.length)
            .replaceAll(/[.?()]/g, String.raw`\$&`)
            .replaceAll(/\{\w+\}/g, '.+')}$`,
        ),
    )
    expect(faults.filter((fault) => !known.some((pattern) => pattern.test(fault)))).toEqual([])
  }
}

test('each kind of object and each action that the service writes to the audit log has a word', () => {
  const rooms = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^console|\.test\.ts$/.test(path))
    .map((path) => readFileSync(join(SERVICE, path), 'utf8'))
  const found = (pattern: RegExp) => [
    ...new Set(rooms.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''))),
  ]
  const types = found(/(?:recorder\(|auditedAll\(\w+, |audited\([^)]*?objectType: )'([^']+)'/g)
  const actions = found(/(?:recorded\(context, |audited\(\w+, \{\s*action: )'([^']+)'/g)
  expect(types.length).toBeGreaterThan(40)
  expect(actions.length).toBeGreaterThan(30)
  const texts = textsOf('screens/audit/words', 'en')
  expect(types.filter((name) => !(`audit.type.${name}` in texts))).toEqual([])
  expect(actions.filter((name) => !(`audit.action.${name}` in texts))).toEqual([])
})

test('each warning of the service has a text of its own', () => {
  const sources = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:\/health|health\/service\/ingest)\.ts$/.test(path))
    .map((path) => readFileSync(join(SERVICE, path), 'utf8'))
  const codes = sources.flatMap((text) =>
    [...text.matchAll(/code: '(\w+)',\s*detail/g)].map(([, code]) => code ?? ''),
  )
  expect(codes.length).toBeGreaterThan(11)
  const texts = textsOf('screens/settings/words', 'en')
  expect(codes.filter((code) => !(`settings.warning.${code}` in texts))).toEqual([])
})
