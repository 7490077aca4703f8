import { and, desc, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm'
import { unlessFull } from '../../../../db/row-limit.ts'
import { dashboardSnapshots } from '../../../../db/tables/dashboards.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type SnapshotRow = typeof dashboardSnapshots.$inferSelect

const { contents: _contents, ...summary } = getTableColumns(dashboardSnapshots)

/** The snapshots of a user, or of all users for null, without their contents, the latest first. */
export function listSnapshots(
  database: Database,
  { userId, now, limit }: { readonly userId: number | null; readonly now: number; readonly limit: number },
): Promise<Omit<SnapshotRow, 'contents'>[]> {
  const own = userId === null ? undefined : eq(dashboardSnapshots.userId, userId)
  return Promise.resolve(
    database
      .select(summary)
      .from(dashboardSnapshots)
      .where(and(gt(dashboardSnapshots.untilAt, now), own))
      .orderBy(desc(dashboardSnapshots.id))
      .limit(limit),
  )
}

/** The id of the latest snapshot of a user, as a statement of the commit that adds it. */
export function selectLatest(database: Database, userId: number) {
  return database
    .select({ id: dashboardSnapshots.id })
    .from(dashboardSnapshots)
    .where(eq(dashboardSnapshots.userId, userId))
    .orderBy(desc(dashboardSnapshots.id))
    .limit(1)
}

export async function findSnapshot(database: Database, id: number, now: number): Promise<SnapshotRow | null> {
  const [row] = await database
    .select()
    .from(dashboardSnapshots)
    .where(and(eq(dashboardSnapshots.id, id), gt(dashboardSnapshots.untilAt, now)))
  return row ?? null
}

/** The writes that delete snapshots that are over and add one. Fails, as `refuseFull` recognises, when a user has `max`. */
export function insertSnapshot(database: Database, row: Omit<SnapshotRow, 'id'>, max: number): Write[] {
  const rows = sql`select 1 from dashboard_snapshots where user_id = ${row.userId}`
  const createdAt = unlessFull(row.createdAt, { rows, max })
  return [
    database.delete(dashboardSnapshots).where(lte(dashboardSnapshots.untilAt, row.createdAt)),
    database.insert(dashboardSnapshots).values({ ...row, createdAt }),
  ]
}

export function deleteSnapshot(database: Database, id: number): Write {
  return database.delete(dashboardSnapshots).where(eq(dashboardSnapshots.id, id))
}
