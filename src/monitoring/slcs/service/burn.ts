import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { lengthMs } from '../../../lib/range.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import * as tree from '../../tree/service.ts'
import { burnOf } from '../burn.ts'
import { creditOf } from '../credit.ts'
import type { BurnQuery, BurnView } from '../schema.ts'
import { findSlc } from '../store.ts'
import { termsIn } from './history.ts'
import { readBadTime } from './used.ts'

/** How the credit of a container was used over the period around an instant, without corrections of the past.
 * @throws {Refusal} not_found, invalid for an instant outside of the periods of the container */
export async function readBurn(context: Context, id: number, { at }: BurnQuery): Promise<BurnView> {
  const { database, clock, settings } = context.ports
  const { createdAt } = await tree.requireObject(context, id, { type: 'slc', right: 'read' })
  const slc = await findSlc(database, id)
  // Deleted between the two reads.
  if (!slc) throw noSuch('service level container')
  const now = clock.now()
  const wantedAt = at === undefined ? now : parseInstant(at)
  if (wantedAt > now) throw outside('must not be in the future')
  const [termed] = await termsIn(database, { ...slc, id }, { beginAt: wantedAt, endAt: wantedAt + 1 })
  if (!termed || termed.period.endAt <= createdAt)
    throw outside('must not be before the first period of the container')
  const { period, terms } = termed
  const { activeTime, children, limit, warnAt } = terms
  const counting = { slc: { id, activeTime, timeZone: slc.timeZone }, children, createdAt }
  const { badTime } = await readBadTime(database, counting, period)
  const totalMs = lengthMs(badTime.active)
  const { creditMs } = creditOf(totalMs, terms)
  const points = burnOf(badTime, { beginAt: period.beginAt, endAt: Math.min(now, period.endAt) })
  const format = timeFormat(settings.timeZone)
  return {
    period: { begin: format(period.beginAt), end: format(period.endAt) },
    limit,
    warnAt,
    creditTotal: creditMs / 1000,
    points: points.map(({ at: instant, usedMs, activeMs }) => ({
      timestamp: format(instant),
      creditUsed: usedMs / 1000,
      creditEven: totalMs === 0 ? 0 : Math.round((creditMs * activeMs) / totalMs) / 1000,
    })),
  }
}

function outside(message: string): Refusal {
  return new Refusal('invalid', 'The query is invalid; see errors.', [{ pointer: '?at', message }])
}
