import { Temporal } from 'temporal-polyfill'

/** The beginning of the unit of an instant on the clock of a zone. */
export function unitStart(at: string, unit: string, timeZone: string): Temporal.ZonedDateTime {
  const zoned = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone)
  const day = zoned.startOfDay()
  const monthStart = (month: number) => zoned.with({ month, day: 1 }).startOfDay()
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return day.subtract({ days: day.dayOfWeek - 1 }).startOfDay()
    case 'month':
      return monthStart(zoned.month)
    case 'quarter':
      return monthStart(zoned.month - ((zoned.month - 1) % 3))
    case 'year':
      return monthStart(1)
    default:
      return zoned.round({ smallestUnit: unit as 'hour', roundingMode: 'floor' })
  }
}
