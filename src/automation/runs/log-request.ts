import type { LogQuery } from './schema.ts'

/** The media type of a log that is followed. */
export const STREAM = 'text/event-stream'

/** The line after which a request follows a log; null if it reads a page. A reader that comes back names the last line that it
 * has. */
export function followedFrom(
  { headers }: Pick<Request, 'headers'>,
  { follow, offset }: Pick<LogQuery, 'follow' | 'offset'>,
): number | null {
  if (!follow && !(headers.get('accept') ?? '').includes(STREAM)) return null
  const last = /^\d{1,15}$/.exec(headers.get('last-event-id') ?? '')?.[0]
  return last === undefined ? offset : Number(last)
}
