import { send } from '../../api/client.ts'

/** Browsers keep more and more memory for a page that stays open for weeks. */
const ANEW_MS = 6 * 3_600_000
const AGAIN_MS = 60_000

/** Loads the page anew every six hours, as soon as the service answers: without it there would be no page.
 * @returns ends it */
export function loadAnew(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (ms: number): void => {
    timer = setTimeout(() => {
      send('GET', '/healthz').then(
        () => location.reload(),
        () => later(AGAIN_MS),
      )
    }, ms)
  }
  later(ANEW_MS)
  return () => clearTimeout(timer)
}
