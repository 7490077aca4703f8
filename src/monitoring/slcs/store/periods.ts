import { sql } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import { unlessFull } from '../../../../db/row-limit.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { Counted, Terms } from '../store.ts'

/** The result of a period. */
export type Outcome = { readonly activeMs: number; readonly usedMs: number }

/** The terms and children at the end of a period. */
export type FrozenTerms = Terms & { readonly children: readonly Counted[] }

export type FrozenPeriod = Range & { readonly id: number; readonly terms: FrozenTerms }

export type Revision = Outcome & {
  readonly periodId: number
  readonly revision: number
  readonly createdAt: number
  readonly author: string | null
  readonly reason: string | null
}

/** Writes a past period with its terms; an existing one stays. */
export function endPeriod(
  database: Database,
  slcId: number,
  { beginAt, endAt, terms }: Range & { readonly terms: FrozenTerms },
): Write {
  return database.run(sql`
    insert into slc_periods (slc_id, begin_at, end_at, terms)
    select id, ${beginAt}, ${endAt}, ${JSON.stringify(terms)} from slcs where id = ${slcId}
    on conflict (slc_id, end_at) do nothing`)
}

/** Writes the first revision of a period; an existing one stays. */
export function freezePeriod(
  database: Database,
  periodId: number,
  { activeMs, usedMs, createdAt }: Outcome & { readonly createdAt: number },
): Write {
  return database.run(sql`
    insert into slc_revisions (period_id, revision, active_ms, used_ms, created_at)
    select id, 1, ${activeMs}, ${usedMs}, ${createdAt} from slc_periods where id = ${periodId}
    on conflict (period_id, revision) do nothing`)
}

/** The period with this end, frozen or not; null without such a period. */
export async function findEnded(
  database: Database,
  slcId: number,
  endAt: number,
): Promise<FrozenPeriod | null> {
  const [period] = await readEnded(database, slcId, { beginAt: endAt, endAt: endAt + 1, limit: 1 })
  return period ?? null
}

/** Adds a revision to a period. Fails, as `refuseFull` recognises, when the period has `max`. */
export function addRevision(database: Database, revision: Omit<Revision, 'revision'>, max: number): Write {
  const { periodId, activeMs, usedMs, author, reason } = revision
  const rows = sql`select 1 from slc_revisions where period_id = ${periodId}`
  const createdAt = unlessFull(revision.createdAt, { rows, max })
  return database.run(sql`
    insert into slc_revisions (period_id, revision, active_ms, used_ms, created_at, author, reason)
    select period_id, max(revision) + 1, ${activeMs}, ${usedMs}, ${createdAt}, ${author}, ${reason}
    from slc_revisions where period_id = ${periodId} group by period_id`)
}

/** Frozen periods that end in a range, latest first, at most `limit`. */
export function readPeriods(database: Database, slcId: number, page: Page): Promise<readonly FrozenPeriod[]> {
  return readEnded(
    database,
    slcId,
    page,
    sql`and exists (select 1 from slc_revisions where period_id = slc_periods.id)`,
  )
}

/** Past periods that end in a range, frozen or not, latest first, at most `limit`. */
export function readEndedPeriods(
  database: Database,
  slcId: number,
  page: Page,
): Promise<readonly FrozenPeriod[]> {
  return readEnded(database, slcId, page)
}

type Page = Range & { readonly limit: number }

async function readEnded(
  database: Database,
  slcId: number,
  { beginAt, endAt, limit }: Page,
  condition = sql``,
): Promise<readonly FrozenPeriod[]> {
  const rows = await database.all<Omit<FrozenPeriod, 'terms'> & { terms: string }>(sql`
    select id, begin_at as "beginAt", end_at as "endAt", terms from slc_periods
    where slc_id = ${slcId} and end_at >= ${beginAt} and end_at < ${endAt} ${condition}
    order by end_at desc limit ${limit}`)
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
    from slc_revisions where period_id in ${elementsOf(periodIds)}
    order by period_id, revision`)
}
