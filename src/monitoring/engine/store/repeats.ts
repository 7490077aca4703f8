import type { Repeat } from '../../../domain/delivery.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'

/** The key of a delivery, and the answer to the delivery as JSON. */
export type RepeatRow = Repeat & { readonly jobId: number; readonly answer: string; readonly untilAt: number }

export type KnownRepeat = Pick<RepeatRow, 'jobId' | 'key' | 'digest' | 'answer'>

/** One statement takes a parameter of less than 2 MB. */
const ROWS_AT_ONCE = 1_000
/** One commit usually adds fewer keys, so that the number of expired keys falls. A deletion of so many does not delay a commit. */
const PRUNED_AT_ONCE = 2_000

/** The keys that are stored and have not expired at `now`. */
export async function readRepeats(
  values: ValuesDatabase,
  asked: readonly { readonly jobId: number; readonly key: string }[],
  now: number,
): Promise<readonly KnownRepeat[]> {
  if (asked.length === 0) return []
  const rows = await values.read({
    sql: `select job_id, repeats.key as key, digest, answer from json_each(?) as asked
          cross join repeats on job_id = asked.value ->> 0 and repeats.key = asked.value ->> 1
          where until_at > ?`,
    cells: [JSON.stringify(asked.map(({ jobId, key }) => [jobId, key])), now],
  })
  return rows.map((row) => ({
    jobId: Number(row['job_id']),
    key: String(row['key']),
    digest: String(row['digest']),
    answer: String(row['answer']),
  }))
}

export function writeRepeats(rows: readonly RepeatRow[]): readonly Statement[] {
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE)
    statements.push({
      sql: `insert or replace into repeats (job_id, key, digest, answer, until_at)
            select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)`,
      cells: [
        JSON.stringify(
          some.map(({ jobId, key, digest, answer, untilAt }) => [jobId, key, digest, answer, untilAt]),
        ),
      ],
    })
  }
  return statements
}

/** Deletes keys that expired by `now`, at most `PRUNED_AT_ONCE` of them. */
export function pruneRepeats(now: number): Statement {
  return {
    sql: `delete from repeats where (job_id, key) in
            (select job_id, key from repeats where until_at <= ? order by until_at limit ?)`,
    cells: [now, PRUNED_AT_ONCE],
  }
}

export function forgetRepeats(jobId: number): Statement {
  return { sql: 'delete from repeats where job_id = ?', cells: [jobId] }
}
