import { TABLES } from '../../src/content/backups/store/tables.ts'
import { reseal } from '../../src/content/backups/service/secrets.ts'
import { unseal } from '../../src/access/session/keys.ts'
import { secretsOf } from '../../workers/secrets.ts'
import type { World } from './world.ts'

export type Compared = Readonly<Record<string, readonly string[]>>

const DAY_MS = 86_400_000
/** Keys of blobs and generations, and columns whose value depends on the time of reading. */
const ELSEWHERE = new Set([
  'files.blob',
  'script_files.blob',
  'data_tables.generation_id',
  'slcs.judged',
  'slcs.next_at',
  'alarm_recipients.last_status',
  'alarm_recipients.last_detail',
  'alarm_recipients.last_at',
])

/** Every row of every table that a backup keeps, its secrets in the open, and without the keys of blobs. */
export async function tablesOf(world: World, kinds: readonly string[]): Promise<Compared> {
  const compared: Record<string, readonly string[]> = {}
  const secrets = secretsOf(world.host.key)
  for (const table of TABLES.filter(({ kept }) => kinds.includes(kept))) {
    const columns = table.columns.map(({ name }) => name)
    const rows = await world.rows(
      `select ${columns.map((one) => `"${one}"`).join(', ')} from "${table.name}"`,
    )
    const texts = rows.map(async (row) => {
      const cells = columns.map((column) => (ELSEWHERE.has(`${table.name}.${column}`) ? '' : row[column]))
      const open = await reseal(table, columns, cells, async (sealed, purpose) =>
        new TextDecoder().decode(await unseal(secrets, sealed, purpose)),
      )
      return JSON.stringify(open)
    })
    compared[table.name] = (await Promise.all(texts)).sort()
  }
  return compared
}

/** The values that each job has received, by reads. */
export async function historiesOf(
  world: World,
  jobs: readonly number[],
  endAt: number,
): Promise<readonly unknown[]> {
  const read = async (path: string) => world.good<unknown>('GET', path)
  const range = `timestamp_begin=${new Date(endAt - DAY_MS).toISOString()}&timestamp_end=${new Date(endAt).toISOString()}`
  const all = jobs.map(async (id) => [
    await samplesOf(world, id),
    await read(`/jobs/${id}/value-history?values=true&${range}`),
    await read(`/jobs/${id}/value-history?scale=PT1H&${range}`),
    await read(`/jobs/${id}/value-history?key=stringValue1&${range}`),
    await read(`/jobs/${id}/state-history?${range}`),
    await read(`/jobs/${id}?values=true`),
  ])
  return Promise.all(all)
}

/** The bytes of an uploaded file, and of the files of a script. */
export async function filesOf(world: World): Promise<readonly string[]> {
  const paths = ['/files/plan.txt', '/scripts/orders/files/main.py', '/scripts/orders/files/src/ö.txt']
  return Promise.all(
    paths.map(async (path) => {
      const response = await world.ask('GET', path)
      return `${response.status} ${await response.text()}`
    }),
  )
}

/** The columns and all rows of the imported table. */
export async function importedOf(
  world: World,
): Promise<readonly [columns: unknown, rows: readonly string[]]> {
  const { items: sources } = await world.good<{ items: readonly { id: number; name: string }[] }>(
    'GET',
    '/dataSources',
  )
  const path = `/dataSources/${sources.find(({ name }) => name === 'readings')?.id}`
  const columns = await world.good<unknown>('GET', `${path}/columns`)
  const { rows } = await world.good<{ rows: readonly unknown[] }>('POST', `${path}/tables/Readings/select`, {
    json: { limit: 10_000 },
  })
  return [columns, rows.map((row) => JSON.stringify(row)).sort()]
}

const PAGE = 10_000
type Page = { readonly values: readonly { readonly value: number }[]; readonly nextCursor?: string | null }

/** Every number that a job has received since yesterday, in order. */
export async function samplesOf(
  world: World,
  jobId: number,
  key = 'returnValue1',
): Promise<readonly number[]> {
  const samples: number[] = []
  const [begin, end] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString())
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: string = cursor === '' ? '' : `&cursor=${cursor}`
    const range = `timestamp_begin=${begin}&timestamp_end=${end}`
    const path = `/jobs/${jobId}/value-history?scale=PT0S&limit=${PAGE}&${range}&key=${key}${page}`
    const { values, nextCursor }: Page = await world.good<Page>('GET', path)
    samples.push(...values.map(({ value }) => value))
    cursor = nextCursor ?? null
  }
  return samples
}
