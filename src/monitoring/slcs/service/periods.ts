import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal, invalidAt, noSuch } from '../../../lib/errors.ts'
import { decodeNumber, pageOf } from '../../../lib/paging.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import { commit, refuseFull } from '../../../ports/database.ts'
import { requireObject } from '../../tree/service.ts'
import { creditOf } from '../credit.ts'
import { creditView } from '../figures.ts'
import type { PeriodsQuery, PeriodView, RecalculationBody } from '../schema.ts'
import { findSlc } from '../store.ts'
import * as store from '../store/periods.ts'
import type { FrozenPeriod, Revision } from '../store/periods.ts'
import { readCorrectedOutcome } from './used.ts'

const PERIODS_AT_ONCE_MAX = 100
const REVISIONS_MAX = 20
const FULL = `A period already has ${REVISIONS_MAX} revisions, which is the maximum.`

/** The frozen periods of a container, latest first, each with its revisions.
 * @returns `next` is the cursor of the next page, null for the last
 * @throws {Refusal} not_found, invalid */
export async function listPeriods(
  context: Context,
  id: number,
  query: PeriodsQuery,
): Promise<{ readonly items: PeriodView[]; readonly next: string | null }> {
  await requireObject(context, id, { type: 'slc', right: 'read' })
  const endAt = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeNumber(query.cursor)
  const periods = await store.readPeriods(context.ports.database, id, {
    beginAt: 0,
    endAt,
    limit: query.limit + 1,
  })
  const { shown, next } = pageOf(periods, query.limit, (last) => last.endAt)
  return { items: await viewsOf(context, shown), next }
}

/** Recalculates frozen periods that end in (begin, end], with their own terms, from the states recorded now and their
 * corrections, and adds a revision to each; earlier revisions stay.
 * @throws {Refusal} not_found, forbidden, invalid, conflict */
export async function recalculatePeriods(
  context: Context,
  id: number,
  body: RecalculationBody,
): Promise<{ readonly items: PeriodView[] }> {
  const { ports, caller } = context
  const { database } = ports
  const object = await requireObject(context, id, { type: 'slc', right: 'write' })
  const [beginAt, endAt] = [parseInstant(body.begin), parseInstant(body.end)]
  if (beginAt >= endAt) throw invalidAt('/end', 'must be later than begin')
  const range = { beginAt: beginAt + 1, endAt: endAt + 1, limit: PERIODS_AT_ONCE_MAX + 1 }
  const [slc, periods] = await Promise.all([findSlc(database, id), store.readPeriods(database, id, range)])
  if (!slc) throw noSuch('service level container')
  if (periods.length > PERIODS_AT_ONCE_MAX) {
    throw invalidAt('/begin', `must select at most ${PERIODS_AT_ONCE_MAX} periods`)
  }
  const made = {
    createdAt: ports.clock.now(),
    author: caller.kind === 'user' ? caller.username : null,
    reason: body.reason,
  }
  const outcomes = await Promise.all(
    periods.map(async (period) => {
      const { isWhole, ...outcome } = await readCorrectedOutcome(
        database,
        { id, path: object.path, timeZone: slc.timeZone, createdAt: object.createdAt },
        period,
      )
      if (!isWhole) throw gone()
      return { periodId: period.id, ...outcome }
    }),
  )
  const writes = [
    ...outcomes.map((outcome) => store.addRevision(database, { ...outcome, ...made }, REVISIONS_MAX)),
    audited(context, { action: 'recalculate', objectType: 'slc', objectId: id, after: body }),
  ]
  await refuseFull('slc_revisions', FULL, () => commit(database, writes))
  ports.log.info('slcs: service level container periods recalculated', { slcId: id, periods: periods.length })
  return { items: await viewsOf(context, periods) }
}

async function viewsOf({ ports }: Context, periods: readonly FrozenPeriod[]): Promise<PeriodView[]> {
  const revisions = await store.readRevisions(
    ports.database,
    periods.map(({ id }) => id),
  )
  const byPeriod = Map.groupBy(revisions, ({ periodId }) => periodId)
  const format = timeFormat(ports.settings.timeZone)
  return periods.map((period) => ({
    period: { begin: format(period.beginAt), end: format(period.endAt) },
    limit: period.terms.limit,
    target: period.terms.target,
    revisions: (byPeriod.get(period.id) ?? []).map((revision) => revisionView(revision, period, format)),
  }))
}

function revisionView(
  { revision, activeMs, usedMs, createdAt, author, reason }: Revision,
  { terms }: FrozenPeriod,
  format: (at: number) => string,
): PeriodView['revisions'][number] {
  const credit = creditOf(activeMs, terms)
  const warned = usedMs >= credit.minorMs ? 'minor' : 'ok'
  return {
    revision,
    state: usedMs >= credit.majorMs ? 'major' : warned,
    ...creditView(credit, usedMs, activeMs),
    created: format(createdAt),
    author,
    reason,
  }
}

function gone(): Refusal {
  return new Refusal(
    'conflict',
    'The period cannot be recalculated: a child of the container was deleted with its history.',
  )
}
