import { readableBy, rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import { rangeOfQuery } from '../../../http/instants.ts'
import { durationMs } from '../../../lib/duration.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { TREND_ALARMS_MAX, TREND_INTERVALS_MAX } from '../schema.ts'
import type { TrendQuery, TrendView } from '../schema.ts'
import * as store from '../store/trend.ts'
import { objectsIn } from './intervals.ts'

/** The number of objects in trouble in each interval of a range, and the present alarms. Only objects that the caller may read count.
 * @throws {Refusal} invalid, also for too many intervals */
export async function readTrend(context: Context, { scale, ...query }: TrendQuery): Promise<TrendView> {
  const { clock, database, settings } = context.ports
  const range = rangeOfQuery(query, clock.now())
  const scaleMs = durationMs(scale)
  const count = Math.ceil((range.endAt - range.beginAt) / scaleMs)
  if (count > TREND_INTERVALS_MAX)
    throw new Refusal('invalid', 'The query is invalid; see errors.', [
      { pointer: '?scale', message: `must divide the range into at most ${TREND_INTERVALS_MAX} intervals` },
    ])
  const readable = readableBy(await rightsOf(context), 'o')
  const [spans, now] = await Promise.all([
    store.findOpenSpans(database, readable, range, TREND_ALARMS_MAX + 1),
    store.countOpen(database, readable),
  ])
  const counted = spans.slice(0, TREND_ALARMS_MAX)
  const intervals = { ...range, scaleMs, count }
  const objects = objectsIn(counted, intervals)
  const major = objectsIn(
    counted.filter(({ worstState }) => worstState === 'major'),
    intervals,
  )
  const format = timeFormat(settings.timeZone)
  return {
    now,
    items: objects.map((number, index) => ({
      timestamp: format(range.beginAt + index * scaleMs),
      objects: number,
      major: major[index] ?? 0,
    })),
    isComplete: spans.length <= TREND_ALARMS_MAX,
  }
}
