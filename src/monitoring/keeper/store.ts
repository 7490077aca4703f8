import { VALUES_SCHEMA, VALUES_VERSION } from '../../../db/values.ts'
import type { Cell, Row, Statement, ValuesDatabase } from '../../ports/values-database.ts'
import type { ActorState } from '../jobs/actor.ts'
import { decodeEntries } from './journal.ts'
import type { Entry } from './journal.ts'

const JOURNAL_PAGE_ROWS = 200
const ACTORS_PAGE_ROWS = 20_000

export type SegmentRow = {
  readonly id: number
  readonly from: number
  readonly to: number
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  readonly first: number | null
  readonly last: number | null
}

export type NewSegment = Omit<SegmentRow, 'id'> & { readonly body: Uint8Array }

/** Creates what is missing. @throws {Error} when a newer release wrote the database */
export async function prepare(values: ValuesDatabase): Promise<void> {
  await values.commit([
    ...VALUES_SCHEMA.map((sql) => ({ sql, cells: [] })),
    { sql: `insert or ignore into meta values ('version', ?)`, cells: [VALUES_VERSION] },
  ])
  const version = (await readMeta(values, 'version')) ?? 0
  if (version > VALUES_VERSION) {
    throw new Error(
      `The values database has version ${version}; this release knows ${VALUES_VERSION}. Upgrade first.`,
    )
  }
}

export async function readMeta(values: ValuesDatabase, key: string): Promise<number | null> {
  const [row] = await values.read({ sql: 'select value from meta where key = ?', cells: [key] })
  return row ? integer(row['value']) : null
}

export function writeMeta(key: string, value: number): Statement {
  return {
    sql: 'insert into meta values (?, ?) on conflict (key) do update set value = excluded.value',
    cells: [key, value],
  }
}

export type ActorRow = { readonly jobId: number; readonly journalId: number; readonly state: ActorState }

/** All checkpoints, by job id, a page at a time. */
export async function* readActors(values: ValuesDatabase): AsyncGenerator<readonly ActorRow[]> {
  for (let after = 0; ;) {
    const rows = await values.read({
      sql: 'select job_id, journal_id, state from actors where job_id > ? order by job_id limit ?',
      cells: [after, ACTORS_PAGE_ROWS],
    })
    yield rows.map((row) => ({
      jobId: integer(row['job_id']),
      journalId: integer(row['journal_id']),
      state: JSON.parse(String(row['state'])) as ActorState,
    }))
    if (rows.length < ACTORS_PAGE_ROWS) return
    after = integer(rows.at(-1)?.['job_id'])
  }
}

export function writeActors(rows: readonly ActorRow[]): readonly Statement[] {
  if (rows.length === 0) return []
  return [
    {
      // Without `where`, SQLite takes `on conflict` for the condition of a join.
      sql: `insert into actors (job_id, journal_id, state)
            select value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
            on conflict (job_id) do update set journal_id = excluded.journal_id, state = excluded.state`,
      cells: [
        JSON.stringify(rows.map(({ jobId, journalId, state }) => [jobId, journalId, JSON.stringify(state)])),
      ],
    },
  ]
}

/** Everything in the journal, oldest first. */
export async function* readJournal(values: ValuesDatabase): AsyncGenerator<{ id: number; entries: Entry[] }> {
  for (let after = 0; ;) {
    const rows = await values.read({
      sql: 'select id, entries from journal where id > ? order by id limit ?',
      cells: [after, JOURNAL_PAGE_ROWS],
    })
    for (const row of rows) yield { id: integer(row['id']), entries: decodeEntries(String(row['entries'])) }
    if (rows.length < JOURNAL_PAGE_ROWS) return
    after = integer(rows.at(-1)?.['id'])
  }
}

/** The next free journal id lies above every id ever used, also those that were trimmed. */
export async function readLastJournalId(values: ValuesDatabase): Promise<number> {
  const [row] = await values.read({
    sql: `select max(coalesce((select max(id) from journal), 0),
                     coalesce((select max(journal_id) from actors), 0),
                     coalesce((select value from meta where key = 'trimmed'), 0)) as id`,
    cells: [],
  })
  return integer(row?.['id'])
}

export function writeJournal(id: number, entries: string): Statement {
  return { sql: 'insert into journal values (?, ?)', cells: [id, entries] }
}

export function trimJournal(upTo: number): readonly Statement[] {
  return [{ sql: 'delete from journal where id <= ?', cells: [upTo] }, writeMeta('trimmed', upTo)]
}

export function forgetJob(jobId: number): readonly Statement[] {
  return ['actors', 'segments'].map((table) => ({
    sql: `delete from ${table} where job_id = ?`,
    cells: [jobId],
  }))
}

/** Segments of one series that may hold samples of [beginAt, endAt), in order of time, without their bodies. */
export async function readSegments(
  values: ValuesDatabase,
  series: { readonly jobId: number; readonly series: number },
  range: { readonly beginAt: number; readonly endAt: number },
): Promise<readonly SegmentRow[]> {
  // Segments do not overlap: the one that begins last before the range is the only earlier one that can reach into it.
  const rows = await values.read({
    sql: `select id, from_at, to_at, count, min, max, sum, first, last from segments
          where job_id = ?1 and series = ?2 and from_at < ?4 and to_at >= ?3
            and from_at >= coalesce((select max(from_at) from segments
                                     where job_id = ?1 and series = ?2 and from_at < ?3), 0)
          order by from_at, id`,
    cells: [series.jobId, series.series, range.beginAt, range.endAt],
  })
  return rows.map(segmentOf)
}

/** For each of the series, in their order: the last segment that begins before `at`, and all that follow it. */
export async function readSegmentsFrom(
  values: ValuesDatabase,
  wanted: readonly { readonly jobId: number; readonly series: number; readonly at: number }[],
): Promise<readonly (readonly SegmentRow[])[]> {
  if (wanted.length === 0) return []
  const rows = await values.read({
    sql: `select wanted.key as place, segments.id as id, from_at, to_at, count, min, max, sum, first, last
          from json_each(?) as wanted
          cross join segments on job_id = wanted.value ->> 0 and series = wanted.value ->> 1
            and from_at >= coalesce((select max(earlier.from_at) from segments as earlier
                                     where earlier.job_id = wanted.value ->> 0 and earlier.series = wanted.value ->> 1
                                       and earlier.from_at <= wanted.value ->> 2), 0)
          order by wanted.key, from_at, segments.id`,
    cells: [JSON.stringify(wanted.map(({ jobId, series, at }) => [jobId, series, at]))],
  })
  const found: SegmentRow[][] = wanted.map(() => [])
  for (const row of rows) found[integer(row['place'])]?.push(segmentOf(row))
  return found
}

/** The bodies of these segments, by id. */
export async function readBodies(
  values: ValuesDatabase,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  if (ids.length === 0) return new Map()
  const rows = await values.read({
    sql: 'select id, body from segments where id in (select value from json_each(?))',
    cells: [JSON.stringify(ids)],
  })
  return new Map(rows.map((row) => [integer(row['id']), bytes(row['body'])]))
}

export function deleteSegments(ids: readonly number[]): readonly Statement[] {
  if (ids.length === 0) return []
  const sql = 'delete from segments where id in (select value from json_each(?))'
  return [{ sql, cells: [JSON.stringify(ids)] }]
}

/** A Durable Object takes a hundred parameters a statement: nine rows of eleven. */
const SEGMENTS_AT_ONCE = 9
const SEGMENT_CELLS = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'

export function insertSegments(
  rows: readonly { readonly jobId: number; readonly series: number; readonly segment: NewSegment }[],
): readonly Statement[] {
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += SEGMENTS_AT_ONCE) {
    const some = rows.slice(from, from + SEGMENTS_AT_ONCE)
    statements.push({
      sql: `insert into segments (job_id, series, from_at, to_at, count, min, max, sum, first, last, body)
            values ${some.map(() => SEGMENT_CELLS).join(', ')}`,
      cells: some.flatMap(({ jobId, series, segment }) => {
        const { from: begin, to, count, min, max, sum, first, last, body } = segment
        return [jobId, series, begin, to, count, min, max, sum, first, last, body]
      }),
    })
  }
  return statements
}

function segmentOf(row: Row): SegmentRow {
  return {
    id: integer(row['id']),
    from: integer(row['from_at']),
    to: integer(row['to_at']),
    count: integer(row['count']),
    min: real(row['min']),
    max: real(row['max']),
    sum: real(row['sum']),
    first: real(row['first']),
    last: real(row['last']),
  }
}

function integer(cell: Cell | undefined): number {
  return Number(cell ?? 0)
}

function real(cell: Cell | undefined): number | null {
  return cell === null || cell === undefined ? null : Number(cell)
}

function bytes(cell: Cell | undefined): Uint8Array {
  if (cell instanceof Uint8Array) return cell
  throw new TypeError('A segment has no body.')
}
