import { sql } from 'drizzle-orm'
import type { Range } from '../../../lib/range.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Counted, Terms } from '../store.ts'

/** What a period came to. */
export type Outcome = { readonly activeMs: number; readonly usedMs: number }

/** What was agreed when a period ended, and of whom. */
export type FrozenTerms = Terms & { readonly children: readonly Counted[] }

export type FrozenPeriod = Range & { readonly id: number; readonly terms: FrozenTerms }

export type Revision = Outcome & {
  readonly periodId: number
  readonly revision: number
  readonly createdAt: number
  readonly author: string | null
  readonly reason: string | null
}

/** Writes a period with its first revision; one that is there stays as it is. */
export function freezePeriod(
  database: Database,
  slcId: number,
  period: Range & { readonly terms: FrozenTerms; readonly outcome: Outcome; readonly createdAt: number },
): Write[] {
  const { beginAt, endAt, terms, outcome, createdAt } = period
  return [
    database.run(sql`
      insert into slc_periods (slc_id, begin_at, end_at, terms)
      select id, ${beginAt}, ${endAt}, ${JSON.stringify(terms)} from slcs where id = ${slcId}
      on conflict (slc_id, end_at) do nothing`),
    database.run(sql`
      insert into slc_revisions (period_id, revision, active_ms, used_ms, created_at)
      select id, 1, ${outcome.activeMs}, ${outcome.usedMs}, ${createdAt} from slc_periods
      where slc_id = ${slcId} and end_at = ${endAt}
      on conflict (period_id, revision) do nothing`),
  ]
}

/** Adds a revision to a period, after those that are there. */
export function addRevision(database: Database, revision: Omit<Revision, 'revision'>): Write {
  const { periodId, activeMs, usedMs, createdAt, author, reason } = revision
  return database.run(sql`
    insert into slc_revisions (period_id, revision, active_ms, used_ms, created_at, author, reason)
    select period_id, max(revision) + 1, ${activeMs}, ${usedMs}, ${createdAt}, ${author}, ${reason}
    from slc_revisions where period_id = ${periodId} group by period_id`)
}

/** Frozen periods that end in a range, the latest first; `limit` at most. */
export async function readPeriods(
  database: Database,
  slcId: number,
  { beginAt, endAt, limit }: Range & { readonly limit: number },
): Promise<readonly FrozenPeriod[]> {
  const rows = await database.all<Omit<FrozenPeriod, 'terms'> & { terms: string }>(sql`
    select id, begin_at as "beginAt", end_at as "endAt", terms from slc_periods
    where slc_id = ${slcId} and end_at >= ${beginAt} and end_at < ${endAt} order by end_at desc limit ${limit}`)
  return rows.map((row) => ({ ...row, terms: JSON.parse(row.terms) as FrozenTerms }))
}

/** All revisions of periods, in order. */
export async function readRevisions(
  database: Database,
  periodIds: readonly number[],
): Promise<readonly Revision[]> {
  return database.all<Revision>(sql`
    select period_id as "periodId", revision, active_ms as "activeMs", used_ms as "usedMs", created_at as "createdAt",
           author, reason
    from slc_revisions where period_id in (select value from json_each(${JSON.stringify(periodIds)}))
    order by period_id, revision`)
}
