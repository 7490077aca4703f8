import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isJsonObject } from '../../../src/lib/json.ts'
import { CommandFailure, EXIT } from '../../server/failures.ts'
import { serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { RequestFailure } from './client.ts'
import type { Client } from './client.ts'
import { readJson, readNames } from './input.ts'
import { outcome, table } from './printing.ts'

type Code = Readonly<Record<string, unknown>>
type Compared = {
  readonly urlName: string
  readonly state: 'new' | 'changed' | 'same'
  readonly paths: string[]
}
type Saved = {
  readonly urlName: string
  readonly version: number
  readonly action: string
  readonly unmatched: readonly unknown[]
}
type Converted = {
  readonly document: object
  readonly panels: readonly {
    readonly title: string
    readonly type: string
    readonly outcome: string
    readonly notes: readonly string[]
  }[]
}

const SUFFIX = '.json'
/** Fields that differ between systems with equal dashboards. */
const LOCAL: ReadonlySet<string> = new Set(['version', 'managedBy', 'uuid'])
const PATHS_SHOWN = 20

/** `tidemark dashboard`: keeps dashboards as files, one for each, and brings them back. */
export const dashboardCommand: Command = {
  name: 'dashboard',
  about:
    'Keeps dashboards as files `<URL name>.json` in a directory. `diff` compares the files with the service and exits with 1\n' +
    '  if they differ; `push` creates and replaces dashboards, which other routes then do not change. `grafana` converts and\n' +
    '  imports a dashboard of Grafana; --dry-run imports nothing.',
  actions: {
    pull: serviceAction({ words: '<directory>', count: [1, 1], options: {}, run: pull }),
    diff: serviceAction({ words: '<directory>', count: [1, 1], options: {}, run: diff }),
    push: serviceAction({
      words: '<directory>',
      count: [1, 1],
      options: { 'managed-by': { value: 'origin' }, 'dry-run': { value: null } },
      run: push,
    }),
    grafana: serviceAction({
      words: '<file>',
      count: [1, 1],
      options: { 'data-source': { value: 'name' }, 'dry-run': { value: null } },
      run: grafana,
    }),
  },
}

async function pull(invocation: Invocation): Promise<Outcome> {
  const client = invocation.client()
  const directory = invocation.file()
  const { items } = await client.read<{ readonly items: readonly { readonly urlName: string }[] }>(
    '/dashboards',
  )
  const unwritable = (cause: unknown) => {
    throw new CommandFailure(EXIT.directory, `${directory} cannot be written: ${(cause as Error).message}.`, {
      cause,
    })
  }
  await mkdir(directory, { recursive: true }).catch(unwritable)
  for (const { urlName } of items) {
    const code = await (await client.ask('GET', pathOf(urlName))).text()
    await Bun.write(join(directory, `${urlName}${SUFFIX}`), code).catch(unwritable)
  }
  return outcome(
    invocation,
    { pulled: items.map(({ urlName }) => urlName) },
    ({ pulled }) => `${pulled.length} dashboards.\n`,
  )
}

async function diff(invocation: Invocation): Promise<Outcome> {
  const compared = await compare(invocation.client(), invocation.file())
  const isSame = compared.every(({ state }) => state === 'same')
  return { ...outcome(invocation, compared, shownOf), exitCode: isSame ? 0 : 1 }
}

async function push(invocation: Invocation): Promise<Outcome> {
  const client = invocation.client()
  const directory = invocation.file()
  const compared = await compare(client, directory)
  if (invocation.isSet('dry-run')) return outcome(invocation, compared, shownOf)
  const managedBy = invocation.text('managed-by')
  const saved: Saved[] = []
  for (const { urlName, state } of compared) {
    const { version: _version, uuid, ...code } = await codeIn(directory, urlName)
    const body = { ...code, ...(state === 'new' && { uuid }), ...(managedBy !== undefined && { managedBy }) }
    const origin = body.managedBy === '' ? { ...body, managedBy: 'code' } : body
    saved.push(await client.json<Saved>('PUT', pathOf(urlName), JSON.stringify(origin)))
  }
  return outcome(invocation, saved, (all) =>
    table(
      ['DASHBOARD', 'ACTION', 'VERSION', 'UNMATCHED'],
      all.map(({ urlName, action, version, unmatched }) => [urlName, action, version, unmatched.length]),
      'There are no files of dashboards.',
    ),
  )
}

async function grafana(invocation: Invocation): Promise<Outcome> {
  const client = invocation.client()
  const dashboard = await readJson(invocation.file())
  const dataSource = invocation.text('data-source') ?? null
  const body = JSON.stringify({ dashboard, dataSource })
  const converted = await client.json<Converted>('POST', '/dashboards/import/grafana', body)
  if (!invocation.isSet('dry-run'))
    await client.ask('POST', '/dashboards/import', JSON.stringify({ document: converted.document }), {
      'content-type': 'application/json',
    })
  return outcome(invocation, converted, ({ panels }) =>
    table(
      ['PANEL', 'TYPE', 'OUTCOME', 'NOTES'],
      panels.map(({ title, type, outcome: made, notes }) => [title, type, made, notes.join(' ')]),
      'The dashboard has no panels.',
    ),
  )
}

/** The files beside the dashboards of the service with the same URL names. A dashboard without a file is left out. */
async function compare(client: Client, directory: string): Promise<Compared[]> {
  const names = (await readNames(directory)).filter((name) => name.endsWith(SUFFIX)).toSorted()
  const compared: Compared[] = []
  for (const name of names) {
    const urlName = name.slice(0, -SUFFIX.length)
    const here = await codeIn(directory, urlName)
    const there = await readCode(client, urlName)
    const paths = there === null ? [] : differences(here, there)
    compared.push({ urlName, state: stateOf(there, paths), paths })
  }
  return compared
}

function stateOf(there: Code | null, paths: readonly string[]): Compared['state'] {
  if (there === null) return 'new'
  return paths.length === 0 ? 'same' : 'changed'
}

async function codeIn(directory: string, urlName: string): Promise<Code> {
  const path = join(directory, `${urlName}${SUFFIX}`)
  const code = await readJson(path)
  if (isJsonObject(code)) return code
  throw new CommandFailure(EXIT.data, `${path} is not a dashboard: a dashboard is an object.`)
}

async function readCode(client: Client, urlName: string): Promise<Code | null> {
  try {
    return await client.read<Code>(pathOf(urlName))
  } catch (error) {
    if (error instanceof RequestFailure && error.status === 404) return null
    throw error
  }
}

function pathOf(urlName: string): string {
  return `/dashboards/by-url/${encodeURIComponent(urlName)}`
}

/** The paths of values that differ. */
function differences(here: Code, there: Code): string[] {
  const keys = new Set([...Object.keys(here), ...Object.keys(there)])
  return [...keys].filter((key) => !LOCAL.has(key)).flatMap((key) => differing(here[key], there[key], key))
}

function differing(here: unknown, there: unknown, path: string): string[] {
  if (JSON.stringify(here) === JSON.stringify(there)) return []
  if (!isObject(here) || !isObject(there)) return [path]
  const keys = new Set([...Object.keys(here), ...Object.keys(there)])
  return [...keys].flatMap((key) => differing(here[key], there[key], `${path}/${key}`))
}

function isObject(value: unknown): value is Code {
  return typeof value === 'object' && value !== null
}

function shownOf(compared: readonly Compared[]): string {
  return table(
    ['DASHBOARD', 'STATE', 'DIFFERENCES'],
    compared.map(({ urlName, state, paths }) => [urlName, state, paths.slice(0, PATHS_SHOWN).join(' ')]),
    'There are no files of dashboards.',
  )
}
