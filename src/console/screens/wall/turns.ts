const EVERY_MIN_S = 5
const EVERY_MAX_S = 3600
/** Hours of the clock between which a wall is bright. */
const MORNING = 7
const EVENING = 19

/** The part that a wall shows, and the seconds until the next one. */
export type Turn = { readonly at: number; readonly leftS: number }

/** The turn of a wall.
 * @param every seconds that a part is shown, from the address; null is returned for less than 5 and more than 3,600
 * @param count the number of parts */
export function turnOf({
  every,
  count,
  sinceMs,
}: {
  readonly every: string
  readonly count: number
  readonly sinceMs: number
}): Turn | null {
  const seconds = Number(every)
  if (!Number.isInteger(seconds) || seconds < EVERY_MIN_S || seconds > EVERY_MAX_S || count === 0) return null
  const since = Math.max(0, Math.floor(sinceMs / 1000))
  return { at: Math.floor(since / seconds) % count, leftS: seconds - (since % seconds) }
}

/** Whether it is night by the clock of a zone. */
export function isNight(at: number, timeZone: string): boolean {
  const hour = Number(
    new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone }).format(at),
  )
  return hour < MORNING || hour >= EVENING
}
